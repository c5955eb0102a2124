import dict_cache
import pytest


@pytest.mark.bpor(gil="real")
def test_one_key_is_one_object_however_long_it_takes(bpor):
    """expect: assertion"""
    one, other = bpor.threads(lambda: dict_cache.get_slowly("key"), lambda: dict_cache.get_slowly("key"))
    assert one is other


@pytest.mark.bpor(gil="off")
def test_one_key_is_one_object_without_a_gil(bpor):
    """expect: assertion"""
    one, other = bpor.threads(lambda: dict_cache.get("key"), lambda: dict_cache.get("key"))
    assert one is other


@pytest.mark.bpor(gil="real")
def test_one_key_is_one_object_while_the_gil_is_held(bpor):
    """expect: pass"""
    one, other = bpor.threads(lambda: dict_cache.get("key"), lambda: dict_cache.get("key"))
    assert one is other
