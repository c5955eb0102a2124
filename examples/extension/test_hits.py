import hits


def test_both_calls_count(bpor):
    bpor.threads(hits.record, hits.record)
    assert hits.count() == 2
