"""The coordinator's certificates: an authority that signs nothing else, and one certificate for the
addresses it has today.

In `tls/` of the state folder: `ca.pem`, `ca.key`, `server.pem`, `server.key`; keys are 0600.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from leaseway.client.pinned import fingerprint_of
from leaseway.client.private import write_private
from leaseway.coordinator.errors import NotStarted
from leaseway.runtime import fresh_id

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FROM = datetime(2000, 1, 1, tzinfo=UTC)
"""Valid since long ago: a box without a clock battery may believe that it is 2004, and pinning, not
the date, says whom it meets."""

_CA_DAYS, _SERVER_DAYS, _RENEW_DAYS = 36_500, 730, 60


class Certificates(Struct, frozen=True):
    """What a server needs: its files, the authority as PEM, and that one's SHA-256."""

    certificate: Path
    key: Path
    ca: str
    fingerprint: bytes


def certificates(folder: Path, names: Iterable[str], wall_ms: int) -> Certificates:
    """The certificates of this state folder, made where there are none, and the server's made anew
    where names changed or its end is near. NotStarted: they cannot be made."""
    try:
        import cryptography  # noqa: F401
    except ImportError as missing:
        raise NotStarted(
            "another address than loopback is served over TLS only, and certificates need the extra"
            " `lan`: pip install 'leaseway[lan]'"
        ) from missing
    own = folder / "tls"
    own.mkdir(mode=0o700, exist_ok=True)
    now = _EPOCH + timedelta(milliseconds=wall_ms)
    ca, ca_key = _authority(own)
    wanted = sorted(set(names))
    made = Certificates(own / "server.pem", own / "server.key", _pem(ca), fingerprint_of(_pem(ca)))
    if not _still_good(made, ca, wanted, now):
        _make_server(made, ca, ca_key, wanted, now)
    return made


def _authority(own: Path) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
    """Read, or made once: to lose it means that every box has to join anew."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    at, key_at = own / "ca.pem", own / "ca.key"
    if at.exists():
        try:
            key = serialization.load_pem_private_key(key_at.read_bytes(), None)
            found = x509.load_pem_x509_certificate(at.read_bytes())
        except (OSError, ValueError) as wrong:
            raise NotStarted(
                f"{own} cannot be read ({wrong}); put it back, or remove it and let every worker"
                " and client join anew"
            ) from wrong
        if isinstance(key, ec.EllipticCurvePrivateKey) and key.public_key() == found.public_key():
            return found, key
        raise NotStarted(f"{key_at} does not belong to {at}; put back the one that does")
    made = ec.generate_private_key(ec.SECP256R1())
    name = _name(fresh_id("leaseway"))
    builder = _builder(name, name, made, _FROM + timedelta(days=_CA_DAYS))
    only_here = x509.BasicConstraints(ca=True, path_length=0)
    signed = builder.add_extension(only_here, critical=True).sign(made, hashes.SHA256())
    write_private(key_at, _key_pem(made))
    write_private(at, _pem(signed).encode())
    return signed, made


def _still_good(files: Certificates, ca: x509.Certificate, names: list[str], now: datetime) -> bool:
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import serialization

    try:
        found = x509.load_pem_x509_certificate(files.certificate.read_bytes())
        key = serialization.load_pem_private_key(files.key.read_bytes(), None)
        found.verify_directly_issued_by(ca)
        alternatives = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False
    if key.public_key() != found.public_key():
        return False  # stopped between writing the one and the other
    has = sorted(str(each.value) for each in alternatives)
    return has == names and found.not_valid_after_utc - now > timedelta(days=_RENEW_DAYS)


def _make_server(
    files: Certificates,
    ca: x509.Certificate,
    ca_key: EllipticCurvePrivateKey,
    names: list[str],
    now: datetime,
) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key = ec.generate_private_key(ec.SECP256R1())
    # Never behind the start: a laptop whose clock fell back serves all the same.
    until = max(now, _FROM) + timedelta(days=_SERVER_DAYS)
    builder = _builder(_name("Leaseway coordinator"), ca.subject, key, until)
    signed = (
        builder.add_extension(x509.SubjectAlternativeName(map(_alternative, names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False
        )
        .sign(ca_key, hashes.SHA256())
    )
    write_private(files.key, _key_pem(key))
    write_private(files.certificate, _pem(signed).encode())


def _builder(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, until: datetime
) -> x509.CertificateBuilder:
    from cryptography import x509

    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FROM)
        .not_valid_after(until)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _name(common: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _alternative(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM).decode()


def _key_pem(key: EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
