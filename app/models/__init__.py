"""The tables. Importing this package knows them all."""

from app.models.account import FactorRow, FactorStepRow, NodeDayRow
from app.models.alert import AlertRow, AlertRuleRow
from app.models.base import METADATA, TableRow, table
from app.models.facility import (
    AuthRow,
    DeviceRow,
    FacilityChangeRow,
    ModelRow,
    NodeRow,
    PowerConnectionRow,
    RackRow,
    RoomRow,
    SharedSupplyRow,
    SiteRow,
    Version,
)
from app.models.health import EventRow, LeaseRow, PollFailureRow
from app.models.job import OUTDATED, JobNodeRow, JobRow, JobSummaryRow
from app.models.series import (
    ChunkColumnRow,
    ChunkRow,
    FrameRow,
    LatestFrameRow,
    LayoutRow,
    RetentionWatermarkRow,
    RollupBacklogRow,
    RollupDaySeriesRow,
    RollupDaySummaryRow,
    StreamRow,
    TaskLockRow,
)

__all__ = [
    "METADATA",
    "OUTDATED",
    "AlertRow",
    "AlertRuleRow",
    "AuthRow",
    "ChunkColumnRow",
    "ChunkRow",
    "DeviceRow",
    "EventRow",
    "FacilityChangeRow",
    "FactorRow",
    "FactorStepRow",
    "FrameRow",
    "JobNodeRow",
    "JobRow",
    "JobSummaryRow",
    "LatestFrameRow",
    "LayoutRow",
    "LeaseRow",
    "ModelRow",
    "NodeDayRow",
    "NodeRow",
    "PollFailureRow",
    "PowerConnectionRow",
    "RackRow",
    "RetentionWatermarkRow",
    "RollupBacklogRow",
    "RollupDaySeriesRow",
    "RollupDaySummaryRow",
    "RoomRow",
    "SharedSupplyRow",
    "SiteRow",
    "StreamRow",
    "TableRow",
    "TaskLockRow",
    "Version",
    "table",
]
