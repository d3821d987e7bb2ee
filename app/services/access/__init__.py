"""Who sends a request, users, tokens, and the audit log."""

from __future__ import annotations

from app.services.access.api_tokens import (
    NewToken,
    TokenLine,
    TokenRequest,
    create_token,
    list_tokens,
    revoke_token,
)
from app.services.access.audit import SERVER, Actor, expire, record
from app.services.access.built_in import local_principal, variable_for
from app.services.access.device_login import (
    begin_device_login,
    decide_device_login,
    redeem_device_login,
    waiting_command,
)
from app.services.access.external_users import ExternalUser, external_user, roles_of_groups
from app.services.access.identification import Credentials, identify
from app.services.access.limits import (
    job_user,
    leased_only,
    require_cluster,
    require_collector,
    require_leased,
    require_own_job,
    require_own_twin,
    require_unbound,
)
from app.services.access.links import FIRST_HOURS, accept_link, first_link, link_user
from app.services.access.passwords import AT_ONCE, LONGEST, SHORTEST
from app.services.access.pseudonyms import pseudonymize
from app.services.access.sign_in import sign_in, sign_in_with_token, sign_out, start_session
from app.services.access.stores import AccessStores
from app.services.access.users import (
    OneTimeLink,
    UserLine,
    change_password,
    change_user,
    create_user,
    link_path,
    list_users,
    new_link,
    one_user,
    parse_roles,
    remove_user,
    user_line,
)

__all__ = [
    "AT_ONCE",
    "FIRST_HOURS",
    "LONGEST",
    "SERVER",
    "SHORTEST",
    "AccessStores",
    "Actor",
    "Credentials",
    "ExternalUser",
    "NewToken",
    "OneTimeLink",
    "TokenLine",
    "TokenRequest",
    "UserLine",
    "accept_link",
    "begin_device_login",
    "change_password",
    "change_user",
    "create_token",
    "create_user",
    "decide_device_login",
    "expire",
    "external_user",
    "first_link",
    "identify",
    "job_user",
    "leased_only",
    "link_path",
    "link_user",
    "list_tokens",
    "list_users",
    "local_principal",
    "new_link",
    "one_user",
    "parse_roles",
    "pseudonymize",
    "record",
    "redeem_device_login",
    "remove_user",
    "require_cluster",
    "require_collector",
    "require_leased",
    "require_own_job",
    "require_own_twin",
    "require_unbound",
    "revoke_token",
    "roles_of_groups",
    "sign_in",
    "sign_in_with_token",
    "sign_out",
    "start_session",
    "user_line",
    "variable_for",
    "waiting_command",
]
