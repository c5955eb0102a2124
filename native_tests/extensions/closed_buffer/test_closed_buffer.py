import pytest
from closed_buffer import Buffer


def refused(action):
    try:
        return action()
    except (ValueError, BufferError) as error:
        return str(error)


@pytest.mark.bpor(gil="real")
def test_a_buffer_can_be_closed_while_it_is_read(bpor):
    """expect: memory"""
    buffer = Buffer()
    sum_or_closed, closed = bpor.threads(lambda: refused(buffer.checksum), lambda: refused(buffer.close))
    assert sum_or_closed in (0, "closed")
    assert closed in (None, "being read")
