"""Registers of meters as their makers' lists have them, by hand: raw words, and what they must read.

The words of the floats are IEEE 754 single precision, worked out from sign, exponent and fraction: 230 = 1.796875 × 2^7
is 0x43660000.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NAN = float("nan")

_0 = (0x0000, 0x0000)
_0_5 = (0x3F00, 0x0000)
_1 = (0x3F80, 0x0000)
_1_5 = (0x3FC0, 0x0000)
_2 = (0x4000, 0x0000)
_2_5 = (0x4020, 0x0000)
_3_75 = (0x4070, 0x0000)
_5 = (0x40A0, 0x0000)
_6 = (0x40C0, 0x0000)
_7 = (0x40E0, 0x0000)
_50 = (0x4248, 0x0000)
_100 = (0x42C8, 0x0000)
_230 = (0x4366, 0x0000)
_231 = (0x4367, 0x0000)
_232 = (0x4368, 0x0000)
_400 = (0x43C8, 0x0000)
_690 = (0x442C, 0x8000)
_1000 = (0x447A, 0x0000)
_1500 = (0x44BB, 0x8000)
_12345 = (0x4640, 0xE400)
_MINUS_100 = (0xC2C8, 0x0000)
_NAN = (0x7FC0, 0x0000)
_SCHNEIDER_NAN = (0xFFC0, 0x0000)


def run(*numbers: tuple[int, ...]) -> list[int]:
    return [word for number in numbers for word in number]


def low_first(*numbers: tuple[int, int]) -> list[int]:
    return [word for high, low in numbers for word in (low, high)]


@dataclass(frozen=True)
class Meter:
    profile: str
    expected: dict[str, float]
    holding: dict[int, list[int]] = field(default_factory=lambda: {0: [0]})
    inputs: dict[int, list[int]] = field(default_factory=lambda: {0: [0]})


SDM630 = Meter(
    "eastron-sdm630",
    inputs={
        0x0000: run(
            _230, _231, _232, _5, _6, _7, _1000, _1500, _690, _1000, _1500, _690, _0, _100, _MINUS_100, _1, _0_5, _1
        ),
        0x0034: run(_1500),
        0x0038: run(_1500),
        0x003C: run(_100, _0_5),
        0x0046: run(_50, _12345),
        0x00C8: run(_400, _690, _100),
        0x00E0: run(_0_5),
        0x015A: run(_1000, _100, _50),
    },
    expected={
        "line-to-line/1:voltage": 400.0, "line-to-line/3:voltage": 100.0, "n:current": 0.5,
        "l1:voltage": 230.0, "l2:voltage": 231.0, "l3:voltage": 232.0, "l3:current": 7.0, "l2:power": 1500.0,
        "l1:apparent_power": 1000.0, "l3:reactive_power": -100.0, "l2:power_factor": 0.5, "total:power": 1500.0,
        "total:reactive_power": 100.0, "total:power_factor": 0.5, "total:frequency": 50.0,
        "total:energy": 44_442e6,  # 12345 kWh
        "l2:energy": 360e6,
    },
)  # fmt: skip

SDM120 = Meter(
    "eastron-sdm120",
    inputs={
        0x0000: run(_230), 0x0006: run(_5), 0x000C: run(_1000), 0x0012: run(_1500), 0x0018: run(_100),
        0x001E: run(_0_5), 0x0046: run(_50, _100, _0),
    },
    expected={
        "total:voltage": 230.0, "total:current": 5.0, "total:power": 1000.0, "total:apparent_power": 1500.0,
        "total:reactive_power": 100.0, "total:power_factor": 0.5, "total:frequency": 50.0, "total:energy": 360e6,
    },
)  # fmt: skip

IEM3000 = Meter(
    "schneider-iem3000",
    holding={
        2999: run(_5, _6, _7), 3009: run(_6), 3027: run(_230, _231, _SCHNEIDER_NAN), 3035: run(_230),
        3053: run(_1, _1_5, _2, _5), 3067: run(_0_5), 3075: run(_5), 3083: run(_1_5), 3109: run(_50),
        3203: [0x0000, 0x0000, 0x075B, 0xCD15],  # 123,456,789 Wh
        3517: [0, 0, 0, 1000, 0, 0, 0, 2000, 0x8000, 0, 0, 0],
    },
    expected={
        "l1:current": 5.0, "total:current": 6.0, "l2:voltage": 231.0, "l3:voltage": NAN, "total:voltage": 230.0,
        "l2:power": 1500.0, "total:power": 5000.0, "total:reactive_power": 500.0, "total:apparent_power": 5000.0,
        "total:power_factor": 0.5,  # 1.5 in the four-quadrant code: 2 − 1.5, leading
        "total:frequency": 50.0, "total:energy": 123_456_789 * 3600.0, "l2:energy": 7_200_000.0, "l3:energy": NAN,
    },
)  # fmt: skip

PM5000 = Meter(
    "schneider-pm5000",
    holding={
        2999: run(_5, _6, _7, _0, _0, _6, _0, _0, _0, _0, _400, _400, _400, _400, _230, _231, _SCHNEIDER_NAN, _0, _230),
        3053: run(_1, _1_5, _2, _5, _0, _0, _0, _0_5, _0, _0, _0, _5),
        3109: run(_50),
        3191: [*run(_0_5), *[0] * 10, 0x0000, 0x0000, 0x075B, 0xCD15],
    },
    expected={
        "l3:current": 7.0, "total:current": 6.0, "line-to-line/2:voltage": 400.0, "l2:voltage": 231.0,
        "l3:voltage": NAN, "total:voltage": 230.0, "l2:power": 1500.0, "total:power": 5000.0,
        "total:reactive_power": 500.0, "total:apparent_power": 5000.0, "total:power_factor": 0.5,
        "total:frequency": 50.0, "total:energy": 123_456_789 * 3600.0,
    },
)  # fmt: skip

UMG = Meter(
    "janitza-umg",
    holding={
        19000: run(_230, _231, _232, _400, _690, _100, _5, _6, _7), 19020: run(_1000, _1500, _690, _12345),
        19028: run(_1500, _690, _1000, _12345, _100, _MINUS_100, _0, _1), 19050: run(_50),
        19062: run(_1000, _1500, _100, _12345),
    },
    expected={
        "l3:voltage": 232.0, "l2:current": 6.0, "l3:power": 690.0, "total:power": 12345.0, "l2:reactive_power": -100.0,
        "total:reactive_power": 1.0, "total:frequency": 50.0, "total:energy": 44_442e3,  # 12345 Wh
        "line-to-line/1:voltage": 400.0, "line-to-line/3:voltage": 100.0, "l2:apparent_power": 690.0,
        "total:apparent_power": 12345.0, "l1:reactive_power": 100.0, "l2:energy": 5.4e6, "l3:energy": 3.6e5,
    },
)  # fmt: skip

B23 = Meter(
    "abb-b23",
    holding={
        0x5000: [0, 0, 0x0001, 0x0000],  # 65536 × 0.01 kWh
        0x5460: [0, 0, 0, 100, 0, 0, 0, 200, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF],
        0x5B00: [0, 2301, 0, 2312, 0xFFFF, 0xFFFF, 0, 3985, 0, 4012, 0xFFFF, 0xFFFF],
        0x5B0C: [0, 512, 0, 1600, 0xFFFF, 0xFFFF, 0, 33],
        0x5B14: [0x0001, 0xE208, 0, 50000, 0xFFFF, 0xD8F0, 0x7FFF, 0xFFFF],  # 1234.00, 500, −100 W, undefined
        0x5B1C: [0, 10000, 0xFFFF, 0xD8F0, 0, 20000, 0x7FFF, 0xFFFF],
        0x5B24: [0x0001, 0xE208, 0, 51000, 0, 10000, 0x7FFF, 0xFFFF],
        0x5B2C: [5001],
        0x5B3A: [950, 0xFC18, 1000, 0x7FFF],
    },
    expected={
        "total:energy": 655.36 * 3.6e6, "l2:energy": 2 * 3.6e6, "l3:energy": NAN, "l1:voltage": 230.1,
        "l3:voltage": NAN, "l1:current": 5.12, "l2:current": 16.0, "total:power": 1234.0, "l1:power": 500.0,
        "l2:power": -100.0, "l3:power": NAN, "total:frequency": 50.01, "total:power_factor": 0.95,
        "l1:power_factor": -1.0, "l3:power_factor": NAN, "line-to-line/1:voltage": 398.5,
        "line-to-line/2:voltage": 401.2, "line-to-line/3:voltage": NAN, "n:current": 0.33,
        "total:reactive_power": 100.0, "l1:reactive_power": -100.0, "l3:reactive_power": NAN,
        "total:apparent_power": 1234.0, "l1:apparent_power": 510.0, "l3:apparent_power": NAN,
    },
)  # fmt: skip

M4M = Meter(
    "abb-m4m",
    holding={
        0x5000: [0, 0, 0x0001, 0x0000],  # 65536 × 0.01 kWh
        0x5460: [0, 0, 0, 100, 0, 0, 0, 200, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF],
        0x5B02: [0, 2301, 0, 2312, 0xFFFF, 0xFFFF, 0, 3985, 0, 4012, 0xFFFF, 0xFFFF],
        0x5B10: [0, 512, 0, 1600, 0xFFFF, 0xFFFF, 0, 33],
        0x5B1A: [0x0001, 0xE208, 0, 50000, 0xFFFF, 0xD8F0, 0x7FFF, 0xFFFF],  # 1234.00, 500, −100 W, undefined
        0x5B22: [0, 10000, 0xFFFF, 0xD8F0, 0, 20000, 0x7FFF, 0xFFFF],
        0x5B2A: [0x0001, 0xE208, 0, 51000, 0, 10000, 0x7FFF, 0xFFFF, 5001],
        0x5B40: [950, 0xFC18, 1000, 0x7FFF],
    },
    expected=B23.expected,
)

PAC = Meter(
    "siemens-pac",
    holding={
        1: run(_230, _231, _232, _400, _690, _100, _5, _6, _7, _1500, _1000, _12345, _1000, _1500, _690),
        31: run(_100, _MINUS_100, _0, _1, _0_5, _NAN), 55: run(_50), 63: run(_12345, _1500, _100, _0_5),
        801: [0x412E, 0x8480, 0x0000, 0x0000],  # the double 1,000,000 Wh
    },
    expected={
        "l1:voltage": 230.0, "l3:current": 7.0, "l3:power": 690.0, "total:apparent_power": 12345.0,
        "total:power": 1500.0, "total:reactive_power": 100.0, "total:power_factor": 0.5, "total:energy": 3.6e9,
        "total:frequency": 50.0, "line-to-line/1:voltage": 400.0, "line-to-line/3:voltage": 100.0,
        "l2:apparent_power": 1000.0, "l2:reactive_power": -100.0, "l2:power_factor": 0.5, "l3:power_factor": NAN,
    },
)  # fmt: skip

EM24 = Meter(
    "carlogavazzi-em24",
    holding={0x000B: [47]},
    inputs={
        0x0000: low_first((0, 2301), (0, 2312), (0, 2323)),
        0x000C: low_first((0, 5120), (0x0001, 0x86A0), (0, 0), (0, 11776), (0, 22000), (0xFFFF, 0xFC18)),
        0x0028: low_first((0x0000, 0x7F58)),
        0x0032: [950, 0xFC18, 1000, 940],
        0x0037: [500],
        0x0042: low_first((0x0002, 0x49F0)),
        0x0046: low_first((0, 1000), (0, 2000), (0x7FFF, 0x0000)),  # overflow: 7FFFh in the high word
    },
    expected={
        "l1:voltage": 230.1, "l1:current": 5.12, "l2:current": 100.0, "l1:power": 1177.6, "l3:power": -100.0,
        "total:power": 3260.0, "l2:power_factor": -1.0, "total:power_factor": 0.94, "total:frequency": 50.0,
        "total:energy": 15000.0 * 3.6e6, "l2:energy": 200 * 3.6e6, "l3:energy": NAN,
    },
)  # fmt: skip

EM340 = Meter(
    "carlogavazzi-em340",
    holding={0x000B: [341]},
    inputs={
        0x0000: low_first((0, 2301), (0, 2312), (0, 2323), (0, 3985), (0, 4012), (0x7FFF, 0xFFFF)),
        0x000C: low_first((0, 5120), (0x0001, 0x86A0), (0, 0), (0, 11776), (0, 22000), (0xFFFF, 0xFC18)),
        0x0018: low_first((0, 12000), (0, 23000), (0, 1100), (0, 2000), (0xFFFF, 0xFC18), (0, 0)),
        0x0028: low_first((0x0000, 0x7F58), (0, 36100), (0xFFFF, 0xFC18)),
        0x002E: [950, 0xFC18, 1000, 940],
        0x0033: [500, *low_first((0x0002, 0x49F0))],
        0x0040: low_first((0, 1000), (0, 2000), (0x7FFF, 0xFFFF)),
    },
    expected=EM24.expected | {
        "line-to-line/1:voltage": 398.5, "line-to-line/3:voltage": NAN, "l1:apparent_power": 1200.0,
        "l1:reactive_power": 200.0, "l2:reactive_power": -100.0, "total:apparent_power": 3610.0,
        "total:reactive_power": -100.0,
    },
)  # fmt: skip

EM24_E1 = Meter(
    "carlogavazzi-em24-e1",
    holding={0x000B: [1650], 0xA000: [7]},
    inputs=EM340.inputs,
    expected=EM340.expected,
)

EM540 = Meter(  # a real one tells its code only where 0x000B is read alone; here it spoils a line-to-line voltage
    "carlogavazzi-em540",
    holding=EM340.inputs
    | {
        0x0000: low_first((0, 2301), (0, 2312), (0, 2323), (0, 3985), (0, 4012), (1760, 0)),
        0x053C: low_first((0, 50000)),
    },
    expected={key: value for key, value in EM340.expected.items() if key != "line-to-line/3:voltage"},
)

EM111 = Meter(
    "carlogavazzi-em111",
    inputs={
        0x0000: low_first((0, 2301), (0, 5120), (0, 11776), (0, 12000), (0xFFFF, 0xFC18)),
        0x000E: [0xFC4A, 500, *low_first((0x0002, 0x49F0))],  # −0.950: leading
    },
    expected={
        "total:voltage": 230.1, "total:current": 5.12, "total:power": 1177.6, "total:apparent_power": 1200.0,
        "total:reactive_power": -100.0, "total:power_factor": 0.95, "total:frequency": 50.0,
        "total:energy": 15000.0 * 3.6e6,
    },
)  # fmt: skip

COUNTIS = Meter(
    "socomec-countis",
    holding={
        0xC350: [0x0053, 0x004F, 0x0043, 0x004F],
        0xC552: [0, 39850, 0, 40120, 0xFFFF, 0xFFFF],
        0xC558: [0, 23010, 0, 23120, 0xFFFF, 0xFFFF],
        0xC560: [0, 5120, 0x0001, 0x86A0, 0, 0, 0, 330],
        0xC568: [0x0000, 0x0146, 0xFFFF, 0xFFF6, 0, 327, 0, 940, 0, 109, 0xFFFF, 0xFFF6, 0x7FFF, 0xFFFF],
        0xC576: [0, 20, 0xFFFF, 0xFFF6, 0x7FFF, 0xFFFF],
        0xC57C: [0, 120, 0, 230, 0xFFFF, 0xFFFF],
        0xC582: [0, 950, 0xFFFF, 0xFC18, 0x7FFF, 0xFFFF],
        0xC702: [0x0016, 0xE360],
    },
    expected={
        "l1:voltage": 230.1, "l3:voltage": NAN, "l1:current": 5.12, "l2:current": 100.0,
        "total:power": 3260.0, "total:reactive_power": -100.0, "total:apparent_power": 3270.0,
        "total:power_factor": 0.94, "l1:power": 1090.0, "l2:power": -100.0, "l3:power": NAN,
        "total:energy": 15000.0 * 3.6e6,  # 1,500,000 × 0.01 kWh
        "line-to-line/1:voltage": 398.5, "line-to-line/3:voltage": NAN, "n:current": 0.33,
        "l1:reactive_power": 200.0, "l2:reactive_power": -100.0, "l2:apparent_power": 2300.0,
        "l3:apparent_power": NAN, "l2:power_factor": -1.0, "l3:power_factor": NAN,
    },
)  # fmt: skip

XERUS = Meter(
    "xerus-pdu",
    holding={
        0: [1, 1, 6, 36, 0],
        12296: run(_230, _5),
        12306: run(_1000, _1500, _0_5),
        12322: run(_50, _100),
    },
    expected={
        "inlet:voltage": 230.0, "inlet:current": 5.0, "inlet:power": 1000.0, "inlet:apparent_power": 1500.0,
        "inlet:power_factor": 0.5, "inlet:frequency": 50.0, "inlet:reactive_power": 100.0,
    },
)  # fmt: skip

E50 = Meter(
    "veris-e50",
    holding={
        256: run(_0, _12345),
        276: run(_5, _1, _6, _0_5, _400, _230, _7, _50),
        364: run(_1, _1_5, _NAN, _0, _0, _0, _1, _2, _NAN, _1, _0_5, _NAN),
        388: run(_400, _400, _NAN, _230, _231, _NAN, _5, _6, _NAN),
    },
    expected={
        "total:energy": 44_442e6, "total:power": 5000.0, "total:reactive_power": 1000.0, "total:apparent_power": 6000.0,
        "total:power_factor": 0.5, "total:voltage": 230.0, "total:current": 7.0, "total:frequency": 50.0,
        "l2:power": 1500.0, "l3:power": NAN, "l2:apparent_power": 2000.0, "l2:power_factor": 0.5, "l2:voltage": 231.0,
        "l3:current": NAN, "line-to-line/1:voltage": 400.0,
    },
)  # fmt: skip

WATTNODE = Meter(
    "wattnode",
    holding={
        1002: low_first(_12345),
        1008: low_first(_12345, _1000, _1500, _690),
        1018: low_first(_230, _231, _232),
        1026: low_first(_400, _690, _100, _50),
        1138: low_first(_0_5, _1, _0_5, _0),
        1146: low_first(_100, _1, _MINUS_100, _0, _12345, _1500, _1000, _690, _5, _6, _7),
    },
    expected={
        "total:energy": 44_442e6, "total:power": 12345.0, "l2:power": 1500.0, "l3:voltage": 232.0,
        "total:frequency": 50.0, "l1:current": 5.0, "total:power_factor": 0.5, "l2:power_factor": 0.5,
        "total:reactive_power": 100.0, "l2:reactive_power": -100.0, "total:apparent_power": 12345.0,
        "l2:apparent_power": 1000.0, "line-to-line/1:voltage": 400.0, "line-to-line/3:voltage": 100.0,
    },
)  # fmt: skip

ACUVIM_L = Meter(
    "accuenergy-acuvim-l",
    holding={
        0x0130: [5000],
        0x0600: run(_50, _230, _231, _232, _400, _690, _100, _5, _6, _7, _0_5, _1000, _1500, _690, _12345),
        0x061E: run(_100, _MINUS_100, _0, _1, _12345, _1, _0_5, _1, _0_5, _0, _0, _0, _1500, _690, _1000),
    },
    expected={
        "total:frequency": 50.0, "l1:voltage": 230.0, "l3:voltage": 232.0, "line-to-line/1:voltage": 400.0,
        "line-to-line/3:voltage": 100.0, "l1:current": 5.0, "l3:current": 7.0, "n:current": 0.5, "l2:power": 1500.0,
        "total:power": 12345.0, "l2:reactive_power": -100.0, "total:reactive_power": 1.0,
        "total:apparent_power": 12345.0, "l2:power_factor": 0.5, "total:power_factor": 0.5,
        "l1:apparent_power": 1500.0, "l3:apparent_power": 1000.0,
    },
)  # fmt: skip

WM20 = Meter(
    "carlogavazzi-wm20",
    holding={
        80: low_first(_230, _231, _232, _231, _400, _690, _100, _400),
        96: low_first(_5, _6, _7, _0_5, _1000, _1500, _690, _12345, _1000, _1500, _690, _12345),
        120: low_first(_100, _MINUS_100, _0, _1, _1, _0_5, _1, _0_5, _50),
    },
    expected={
        "l1:voltage": 230.0, "l3:voltage": 232.0, "line-to-line/1:voltage": 400.0, "line-to-line/3:voltage": 100.0,
        "l1:current": 5.0, "l3:current": 7.0, "n:current": 0.5, "l2:power": 1500.0, "total:power": 12345.0,
        "l3:apparent_power": 690.0, "total:apparent_power": 12345.0, "l2:reactive_power": -100.0,
        "total:reactive_power": 1.0, "l2:power_factor": 0.5, "total:power_factor": 0.5, "total:frequency": 50.0,
    },
)  # fmt: skip

_COMMON = [1, 66, *[0] * 66]  # the common model, which stands before all others
_SUNS = [0x5375, 0x6E53]

SUNSPEC = Meter(
    "sunspec-meter",
    holding={
        40000: [
            *_SUNS, *_COMMON, 203, 105,
            180, 50, 60, 70, 0xFFFF,  # amperes in tenths
            2310, 2300, 2310, 0x8000, 4000, 3980, 4000, 4020, 0xFFFF,  # volts in tenths
            5001, 0xFFFE,
            1234, 400, 434, 400, 0x0001,  # tens of watts
            1300, 420, 0x8000, 430, 0x0001,
            0xFFF6, 0, 0, 0, 0x0001,
            950, 940, 950, 960, 0xFFFF,  # tenths of a percent
            0, 0, 0, 0, 0, 0, 0, 0,
            0x000F, 0x4240, 0, 0, 0, 500, 0xFFFF, 0xFFFF, 0x0001,  # 1,000,000 × 10 Wh; phase A keeps none
            *[0] * 52, 0xFFFF, 0,
        ]
    },
    expected={
        "total:current": 18.0, "l2:current": 6.0, "total:voltage": 231.0, "l3:voltage": NAN,
        "line-to-line/1:voltage": 398.0, "total:frequency": 50.01, "total:power": 12340.0, "l2:power": 4340.0,
        "total:apparent_power": 13000.0, "l2:apparent_power": NAN, "total:reactive_power": -100.0,
        "total:power_factor": 0.95, "l3:power_factor": 0.96, "total:energy": 3.6e10, "l1:energy": NAN,
        "l2:energy": 5000 * 3600.0,
    },
)  # fmt: skip

SUNSPEC_FLOAT = Meter(
    "sunspec-meter-float",
    holding={
        50000: [
            *_SUNS, *_COMMON, 213, 124,
            *run(_7, _5, _6, _NAN, _230, _230, _231, _NAN, _400, _400, _400, _NAN, _50, _1500, _690, _1000, _NAN),
            *run(_1500, _690, _1000, _NAN, _100, _MINUS_100, _0, _NAN, _0_5, _1, _1, _NAN, _0, _0, _0, _0),
            *run(_12345, _1000, _1500, _NAN), *[0] * 50, 0xFFFF, 0,
        ]
    },
    expected={
        "total:current": 7.0, "l2:current": 6.0, "l3:current": NAN, "total:voltage": 230.0, "l2:voltage": 231.0,
        "line-to-line/2:voltage": 400.0, "total:frequency": 50.0, "total:power": 1500.0, "l1:power": 690.0,
        "total:apparent_power": 1500.0, "total:reactive_power": 100.0, "l1:reactive_power": -100.0,
        "total:power_factor": 0.5, "total:energy": 12345 * 3600.0, "l2:energy": 1500 * 3600.0,
    },
)  # fmt: skip

PRO380 = Meter(
    "inepro-pro380",
    holding={
        0x5002: run(_230, _231, _232, _50),
        0x500C: run(_5, _6, _7, _5, _1, _1_5, _2_5, _1, _0, _0_5, _0_5, _6, _2, _2, _2, _1, _0_5, _1, _1),
        0x600C: run(_12345),
        0x6012: run(_1000, _100, _50),
    },
    expected={
        "l3:voltage": 232.0, "total:frequency": 50.0, "l2:current": 6.0, "total:power": 5000.0, "l3:power": 2500.0,
        "total:reactive_power": 1000.0, "l2:reactive_power": 500.0, "total:apparent_power": 6000.0,
        "total:power_factor": 1.0, "l1:power_factor": 0.5, "total:energy": 44_442e6, "l2:energy": 360e6,
    },
)  # fmt: skip

BCPM = Meter(
    "schneider-bcpm",
    inputs={
        5: [1],
        999: [0xFFFE] * 42 + [0xFFFD] * 42 + [0xFFFF] * 42,
        1167: [0, 1000] * 42 + [2000] * 41 + [0x8000] + [950] * 42 + [1234] * 42,
        1629: [2500] * 42,
    },
    expected={
        "branch/1:energy": 3.6e8, "branch/2:power": 2000.0, "branch/42:power": NAN, "branch/3:power_factor": 0.95,
        "branch/42:current": 12.34, "branch/42:apparent_power": 2500.0,
    },
)  # fmt: skip

IQ250 = Meter(
    "eaton-iq250",
    holding={
        0x03E7: run(
            _230, _231, _232, _400, _400, _400, _5, _6, _7,
            _1500, _100, _1500, _1, _50, _0_5,
            _1000, _1500, _690, _0, _100, _MINUS_100, _1000, _1500, _690, _1, _0_5, _1,
        ),
    },
    expected={
        "l1:voltage": 230.0, "l3:voltage": 232.0, "l2:current": 6.0, "n:current": 0.5, "total:power": 1500.0,
        "total:reactive_power": 100.0, "total:apparent_power": 1500.0, "total:power_factor": 1.0,
        "total:frequency": 50.0,
        "l1:power": 1000.0, "l3:power": 690.0, "l3:reactive_power": -100.0, "l2:apparent_power": 1500.0,
        "l2:power_factor": 0.5,
    },
)  # fmt: skip

METERS = [
    SDM630, SDM120, IEM3000, PM5000, UMG, B23, PAC, EM24, EM340, COUNTIS, XERUS, E50, WATTNODE, SUNSPEC, SUNSPEC_FLOAT,
    PRO380, BCPM, IQ250, M4M, EM24_E1, EM540, EM111, ACUVIM_L, WM20,
]  # fmt: skip
