"""Classes of accuracy: the limits of error that a standard allows over the current, at power factor 1.

Sources: "Limits of error due to variation of the current" in IEC 62053-21:2003 (8.1; 2020: 7.9), IEC 62053-22:2003
(8.1; 2020: 7.9) and EN 50470-3:2006 (8.1); those of class 1 also in the PRO380-Mod user manual of Inepro, 5.2.
EN 50470-3 states I_min and I_tr; their shares of the rated current are those of Directive 2014/32/EU (MID), annex V,
table 1, with I_ref = 10 I_tr of directly connected meters: I_min at most 0.5 I_tr (class C: 0.3), of meters with
transformers at most 0.2 I_tr (class A: 0.4) and I_n = 20 I_tr.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

LimitsOverCurrent = tuple[tuple[float, float], ...]
"""From which current on [A] which limit of error applies [% of reading], rising; below the first there is none."""


class AccuracyClass(StrEnum):
    """A class of active energy or power."""

    IEC_62053_21_CLASS_1 = "IEC 62053-21 class 1"
    IEC_62053_21_CLASS_2 = "IEC 62053-21 class 2"
    IEC_62053_22_CLASS_02S = "IEC 62053-22 class 0.2S"
    IEC_62053_22_CLASS_05S = "IEC 62053-22 class 0.5S"
    EN_50470_3_CLASS_A = "EN 50470-3 class A"
    EN_50470_3_CLASS_B = "EN 50470-3 class B"
    EN_50470_3_CLASS_C = "EN 50470-3 class C"

    @property
    def full_load_pct(self) -> float:
        """Return the limit from a tenth (with transformers a twentieth) of the rated current to the largest [%]."""
        return _CLASSES[self].full_load_pct

    @property
    def is_direct(self) -> bool:
        """Return whether the standard has limits for meters without current transformers."""
        return _CLASSES[self].direct is not None

    def limits(self, basic_a: float | None, ct_primary_a: float | None) -> LimitsOverCurrent:
        """Return the limits over the current of one line; empty if its rated current is not known.

        Parameters
        ----------
        basic_a: basic or reference current of a directly connected meter [A].
        ct_primary_a: rated primary current of the transformers of a meter that has some [A].
        """
        own = _CLASSES[self]
        shares, rated_a = (own.direct, basic_a) if ct_primary_a is None else (own.with_transformers, ct_primary_a)
        if shares is None or rated_a is None:
            return ()
        return ((shares[0] * rated_a, own.low_load_pct), (shares[1] * rated_a, own.full_load_pct))


class _Class(NamedTuple):
    """Limits [%] from the first and from the second share of the rated current on."""

    low_load_pct: float
    full_load_pct: float
    direct: tuple[float, float] | None
    with_transformers: tuple[float, float]


_DIRECT = (0.05, 0.1)
_CLASSES = {
    AccuracyClass.IEC_62053_21_CLASS_1: _Class(1.5, 1.0, _DIRECT, (0.02, 0.05)),
    AccuracyClass.IEC_62053_21_CLASS_2: _Class(2.5, 2.0, _DIRECT, (0.02, 0.05)),
    AccuracyClass.IEC_62053_22_CLASS_02S: _Class(0.4, 0.2, None, (0.01, 0.05)),
    AccuracyClass.IEC_62053_22_CLASS_05S: _Class(1.0, 0.5, None, (0.01, 0.05)),
    AccuracyClass.EN_50470_3_CLASS_A: _Class(2.5, 2.0, _DIRECT, (0.02, 0.05)),
    AccuracyClass.EN_50470_3_CLASS_B: _Class(1.5, 1.0, _DIRECT, (0.01, 0.05)),
    AccuracyClass.EN_50470_3_CLASS_C: _Class(1.0, 0.5, (0.03, 0.1), (0.01, 0.05)),
}
