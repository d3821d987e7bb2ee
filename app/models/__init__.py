"""The tables. Importing this package knows them all."""

from app.models.account import FactorRow, FactorStepRow, NodeDayRow
from app.models.alert import AlertRow, AlertRuleRow
from app.models.base import METADATA, Row, table
from app.models.facility import (
    AuthRow,
    DeviceRow,
    FacilityChangeRow,
    FeedRow,
    ModelRow,
    NodeRow,
    RackRow,
    RoomRow,
    SiteRow,
    SupplyRow,
    Version,
)
from app.models.health import EventRow, LeaseRow, PollFailureRow
from app.models.job import JobNodeRow, JobRow, JobSummaryRow
from app.models.series import (
    ChunkColumnRow,
    ChunkRow,
    DayRow,
    DirtyRow,
    FrameRow,
    LatestRow,
    LayoutRow,
    MinuteRow,
    RetiredRow,
    StreamRow,
    TurnRow,
)

__all__ = [
    "METADATA",
    "AlertRow",
    "AlertRuleRow",
    "AuthRow",
    "ChunkColumnRow",
    "ChunkRow",
    "DayRow",
    "DeviceRow",
    "DirtyRow",
    "EventRow",
    "FacilityChangeRow",
    "FactorRow",
    "FactorStepRow",
    "FeedRow",
    "FrameRow",
    "JobNodeRow",
    "JobRow",
    "JobSummaryRow",
    "LatestRow",
    "LayoutRow",
    "LeaseRow",
    "MinuteRow",
    "ModelRow",
    "NodeDayRow",
    "NodeRow",
    "PollFailureRow",
    "RackRow",
    "RetiredRow",
    "RoomRow",
    "Row",
    "SiteRow",
    "StreamRow",
    "SupplyRow",
    "TurnRow",
    "Version",
    "table",
]
