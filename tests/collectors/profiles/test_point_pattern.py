import pytest

from collectors.profiles.point_pattern import glob, names_in, render

INLET = "[unit/{unit}/]inlet[/{inlet}]/l{pole}"


@pytest.mark.parametrize(
    ("unit", "inlet", "point"),
    [(1, 1, "inlet/l2"), (1, 2, "inlet/2/l2"), (3, 1, "unit/3/inlet/l2"), (2, 2, "unit/2/inlet/2/l2")],
)
def test_what_is_one_goes_without_saying(unit, inlet, point):
    assert render(INLET, {"unit": unit, "inlet": inlet, "pole": 2}) == point


def test_text_names_too():
    assert render("gpu/{gpu}", {"gpu": "0"}) == "gpu/0"


def test_names_and_the_form_for_people():
    assert names_in(INLET) == {"unit", "inlet", "pole"}
    assert glob(INLET) == "inlet/l*"


def test_a_name_without_number_is_an_error():
    with pytest.raises(KeyError):
        render("outlet/{number}", {})


@pytest.mark.parametrize(("unit", "point"), [(0, "outlet/3"), (1, "unit/2/outlet/3")])
def test_what_a_device_counts_from_0_is_counted_from_1(unit, point):
    assert names_in("[unit/{unit+1}/]outlet/{outlet}") == {"unit", "outlet"}
    assert render("[unit/{unit+1}/]outlet/{outlet}", {"unit": unit, "outlet": 3}) == point
