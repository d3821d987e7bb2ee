"""Which collectors may poll a device."""

import pytest

from app.domain.devices import bound_to


@pytest.mark.parametrize(
    ("declared", "host", "names"),
    [
        (["west-1", "west-2"], "10.0.0.7", {"west-1", "west-2"}),
        (["west-1", "oob 10.20.0.0/16"], "10.20.3.4", {"oob"}),
        (["west-1", "oob 10.20.0.0/16"], "10.21.0.1", {"west-1"}),
        (["west-1", "oob 10.20.0.0/16"], "pdu-1.example.org", {"west-1"}),
        (["oob 10.20.0.0/16"], "10.21.0.1", None),
        (["a 10.0.0.0/8", "b 10.20.0.0/16"], "10.20.0.1", {"a", "b"}),
        (["v6 fd00::/8"], "fd00::1", {"v6"}),
        (["v6 fd00::/8", "rest"], "10.0.0.1", {"rest"}),
        ([], "10.0.0.1", None),
    ],
)
def test_the_network_decides_before_the_site(declared, host, names):
    assert bound_to(declared, host) == names
