"""Limits of classes over the current: amperes worked out by hand from the standards' shares of the rated current."""

import pytest

from collectors.profiles.accuracy_class import AccuracyClass
from collectors.profiles.profile import parse
from collectors.profiles.registry import find
from tests.collectors.profiles.test_profile import mistakes_of, modbus, register

ENERGY = register("energy", u="kWh")
CLASS_B = 'accuracy_class = { energy = "EN 50470-3 class B" }'


@pytest.mark.parametrize(
    ("name", "basic_a", "ct_primary_a", "limits"),
    [
        ("IEC 62053-21 class 1", 5, None, ((0.25, 1.5), (0.5, 1.0))),
        ("IEC 62053-21 class 1", None, 100, ((2, 1.5), (5, 1.0))),
        ("IEC 62053-21 class 2", 10, None, ((0.5, 2.5), (1, 2.0))),
        ("IEC 62053-22 class 0.2S", None, 400, ((4, 0.4), (20, 0.2))),
        ("IEC 62053-22 class 0.5S", None, 400, ((4, 1.0), (20, 0.5))),
        ("IEC 62053-22 class 0.5S", 5, None, ()),  # a class of meters with transformers
        ("EN 50470-3 class A", 10, None, ((0.5, 2.5), (1, 2.0))),
        ("EN 50470-3 class B", 10, None, ((0.5, 1.5), (1, 1.0))),  # EM24 AV2, AV9: I_min 0.5 A, I_tr 1 A
        ("EN 50470-3 class B", 10, 5, ((0.05, 1.5), (0.25, 1.0))),  # EM24 AV5 without transformers: 0.05 A, 0.25 A
        ("EN 50470-3 class C", 10, None, ((0.3, 1.0), (1, 0.5))),
        ("EN 50470-3 class B", None, None, ()),
    ],
)
def test_limits_over_the_current(name, basic_a, ct_primary_a, limits):
    found = AccuracyClass(name).limits(basic_a, ct_primary_a)
    assert list(found) == [pytest.approx(pair) for pair in limits]


def test_a_class_states_the_limit_at_full_load_of_its_quantity_alone():
    profile = parse(modbus(head=CLASS_B, values=f"{ENERGY}, {register('power', 110)}"))
    energy, power = profile.points[0].values
    assert (profile.limit_pct(energy), profile.limit_pct(power)) == (1.0, None)
    assert profile.limits_over_current(energy) is None
    assert profile.limits_over_current(energy, ct_primary_a=200) == ((2.0, 1.5), (10.0, 1.0))
    assert profile.limits_over_current(power, ct_primary_a=200) is None


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ('accuracy_class = { power = "EN 50470-3 class B" }', "accuracy_class.power: no points measure it"),
        (CLASS_B + "\naccuracy_pct = { energy = 1 }", "accuracy_class.energy: it has an accuracy_pct as well"),
        ('accuracy_class = { energy = "class 1" }', "accuracy_class"),
        ("basic_current_a = 5", "basic_current_a: there is no accuracy_class"),
        (
            'basic_current_a = 5\naccuracy_class = { energy = "IEC 62053-22 class 0.5S" }',
            "basic_current_a: IEC 62053-22 class 0.5S is a class of meters with transformers",
        ),
    ],
)
def test_mistakes(head, says):
    assert says in mistakes_of(modbus(head=head, values=ENERGY))


def test_the_em24_has_the_currents_of_its_data_sheet():
    profile = find("carlogavazzi-em24")
    (energy,) = [v for p in profile.points if p.point == "total" for v in p.values if v.quantity == "energy"]
    assert profile.limits_over_current(energy) == ((0.5, 1.5), (1.0, 1.0))
