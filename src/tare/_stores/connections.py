"""Connections to stores, made by obstore; credentials come from the environment in its usual ways."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

from tare._stores.endpoints import check_endpoints
from tare.errors import MissingExtraError

__all__ = ["connection", "library"]

RETRIES = 6  # of a request that was throttled or that failed on the way
WAITING = timedelta(seconds=60)  # for all retries of a request
SETTINGS = ("AWS_", "GOOGLE_", "AZURE_", "AZURITE_", "SSL_CERT_")

MOST = 64  # connections that are kept

_OPENED: dict[Any, Any] = {}


def library() -> Any:
    """Return obstore."""
    try:
        import obstore
    except ImportError:
        raise MissingExtraError("obstore", "cloud", "An address of an object store") from None
    return obstore


def connection(store: str) -> Any:
    """Return the connection to a store, made once for the same settings."""
    library()
    from obstore.store import from_url

    settings = {name: value for name, value in os.environ.items() if name.startswith(SETTINGS)}
    key = (store, RETRIES, frozenset(settings.items()))
    if key not in _OPENED:
        check_endpoints(store, settings)
        options: dict[str, Any] = {
            "client_options": {"timeout": "60s", "connect_timeout": "10s"},
            "retry_config": {"max_retries": RETRIES, "retry_timeout": WAITING},
        }
        # The user named a server without encryption.
        if any("http://" in value.lower() for value in settings.values()):
            options["client_options"]["allow_http"] = True
        profile = settings.get("AWS_PROFILE") and "AWS_ACCESS_KEY_ID" not in settings
        if store.startswith("s3://") and profile:
            options["credential_provider"] = _profile()
        if len(_OPENED) >= MOST:
            _OPENED.clear()
        _OPENED[key] = from_url(store, **options)
    return _OPENED[key]


def _profile() -> Any:
    """Return the credentials of AWS_PROFILE, which boto3 reads."""
    try:
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError:
        raise MissingExtraError("boto3", None, "A profile of AWS (AWS_PROFILE)") from None
    return Boto3CredentialProvider()
