"""The tables. Importing this package knows them all."""

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
    Version,
)
from app.models.health import EventRow, LeaseRow, PollFailureRow
from app.models.job import JobNodeRow, JobRow, JobSummaryRow
from app.models.series import (
    ChunkColumnRow,
    ChunkRow,
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
    "AuthRow",
    "ChunkColumnRow",
    "ChunkRow",
    "DeviceRow",
    "DirtyRow",
    "EventRow",
    "FacilityChangeRow",
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
    "NodeRow",
    "PollFailureRow",
    "RackRow",
    "RetiredRow",
    "RoomRow",
    "Row",
    "SiteRow",
    "StreamRow",
    "TurnRow",
    "Version",
    "table",
]
