"""Full resolution for some days, then minutes, then hours, as the settings say by class of quantity; past alerts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from app.domain.minutes import DAY_MS
from app.services.context import Context
from app.settings import Keep, QuantityClass
from app.store.alerts import drop_past
from app.store.dirty import changes_due, dirty_days
from app.store.engine import reading, writing
from app.store.retention import announce, drop_days, minutes_to_hours, retire_samples, until_done
from app.store.turns import has_turn
from collectors.frame import Quantity

CLASSES: Mapping[QuantityClass, frozenset[Quantity]] = {
    "power": frozenset({Quantity.POWER, Quantity.APPARENT_POWER, Quantity.REACTIVE_POWER, Quantity.POWER_LIMIT}),
    "energy": frozenset({Quantity.ENERGY}),
    "electrical": frozenset({Quantity.CURRENT, Quantity.VOLTAGE, Quantity.POWER_FACTOR, Quantity.FREQUENCY}),
    "environment": frozenset({Quantity.TEMPERATURE, Quantity.HUMIDITY}),
    "activity": frozenset({Quantity.UTILIZATION, Quantity.STATE}),
}
IN_MINUTES: Mapping[QuantityClass, Quantity] = {"power": Quantity.POWER, "electrical": Quantity.CURRENT}
"""Classes that the minute tier keeps something of."""
TASK = "minutes"
TURN_MS = 300_000


def retire(context: Context, holder: str) -> int:
    """Let go of what the settings no longer want kept; returns how many things went or became coarser.

    Nothing goes before the minutes that are made of it are up to date.
    """
    done = sum(_retire(context, holder, name, keep) for name, keep in context.settings.keep.items())
    with writing(context.engine) as connection:
        return done + drop_past(connection, _before(context, context.settings.alert_days))


def _retire(context: Context, holder: str, name: QuantityClass, keep: Keep) -> int:
    done = 0
    if keep.full_days is not None:
        done += _retire_samples(context, holder, name, _before(context, keep.full_days))
    if (quantity := IN_MINUTES.get(name)) is not None:
        if keep.minute_days is not None:
            step = partial(minutes_to_hours, quantity=quantity, before_ms=_before(context, keep.minute_days))
            done += until_done(context.engine, step)
        if keep.hour_days is not None:
            step = partial(drop_days, quantity=quantity, before_ms=_before(context, keep.hour_days))
            done += until_done(context.engine, step)
    return done


def _before(context: Context, days: int) -> int:
    """The midnight (UTC) before which nothing is to be kept."""
    return (context.now_ms() - days * DAY_MS) // DAY_MS * DAY_MS


def _retire_samples(context: Context, holder: str, name: QuantityClass, before_ms: int) -> int:
    with reading(context.engine) as connection:
        waiting = [day for day in dirty_days(connection) if day < before_ms]
        if name in IN_MINUTES and (waiting or changes_due(connection)):
            return 0
    with writing(context.engine) as connection:
        if not has_turn(connection, TASK, holder, context.now_ms(), TURN_MS):
            return 0
        announce(connection, name, before_ms)
    # the last samples of a day shape the first minute of the next
    return retire_samples(context.engine, CLASSES[name], before_ms - DAY_MS)
