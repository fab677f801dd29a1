# SPDX-License-Identifier: Apache-2.0
"""The parts that clients and sessions of threads and of asyncio share.

They are options, the metadata of a call, and the rules of when to repeat a call."""

from __future__ import annotations

import ipaddress
import math
import os
import random
import socket
import threading
import time
import warnings
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import grpc

from clearance.errors import (
    ClearanceError,
    FailedPrecondition,
    ForkError,
    Unavailable,
    VersionError,
    invalid,
)

# The major version of the servers that this package understands.
_MAJOR_VERSION = 0

_SERVICE_CONFIG = '{"loadBalancingConfig": [{"round_robin": {}}]}'
# Schemes of gRPC's own addresses.
_SCHEMES = ("dns:", "ipv4:", "ipv6:", "unix:", "unix-abstract:", "vsock:", "xds:")
_LARGEST_PORT = 65535
_DEFAULT_PORT = 50051  # the server's own
# gRPC's messages about an address without a clearance server of the expected kind, and their
# meaning. Debian's gRPC writes OpenSSL's reasons in words, the wheels from the index write
# BoringSSL's in capitals.
_HINTS = {
    "http1.x server": "this is a port of HTTP (--http_listen?): use the one of gRPC (--listen)",
    "wrong version number": "the server speaks plain text: leave out `tls`",
    "WRONG_VERSION_NUMBER": "the server speaks plain text: leave out `tls`",
    "Socket closed": "the server may want TLS: give `tls`",
    "Connection reset": "the server may want TLS: give `tls`",
    "certificate verify failed": "the server's certificate is not from `tls.root_certificates`",
    "CERTIFICATE_VERIFY_FAILED": "the server's certificate is not from `tls.root_certificates`",
}
_FIRST_WAIT = 0.02  # seconds
_LONGEST_WAIT = 1.0
_SAFE_FORKS = (1, 76)  # the first gRPC seen to fork well with GRPC_ENABLE_FORK_SUPPORT=1
_SETTLING = 0.2  # seconds that a connection still works after its first answer

_REPEATABLE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


@dataclass(frozen=True)
class TlsOptions:
    """TLS of a connection; the fields are PEM texts, not file names.

    Attributes
    ----------
    root_certificates : bytes, optional
        The CAs of the server's certificate. None: gRPC's own.
    certificate_chain, private_key : bytes, optional
        The client's certificate, for mutual TLS.
    server_name : str, optional
        The name in the server's certificate, or in those of all servers. None: the address's host.
    """

    root_certificates: bytes | None = None
    certificate_chain: bytes | None = None
    private_key: bytes | None = None
    server_name: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClientOptions:
    """Options of a client. Times are in seconds.

    Attributes
    ----------
    timeout : float
        Time of each unary call, and of connecting.
    max_send_bytes, max_receive_bytes : int
        Largest messages that the client sends and receives.
    wait : float
        How long connecting waits for a missing server; by default it fails at once.
    retry : bool
        Repeats unary calls that end with UNAVAILABLE or CANCELLED, 20 ms to 1 s apart, within the
        timeout. `delete` and changes of scenes are never repeated.
    token : str
        The caller's token. Over plain text it is sent to this machine only, unless
        `allow_token_in_plain_text`.
    keepalive : float, optional
        A server that has sent nothing for this long gets a ping. None: never. Servers allow one
        every 10 s.
    keepalive_timeout : float
        A server that does not answer the ping within this time is given up. Until then calls wait,
        at most for their timeout; sessions wait, then continue elsewhere.
    tls : TlsOptions, optional
        Connects with TLS. None: plain text.
    allow_token_in_plain_text : bool
        Also sends the token to other machines in plain text.
    """

    timeout: float = 10.0
    max_send_bytes: int = 64 << 20
    max_receive_bytes: int = 64 << 20
    wait: float = 0.0
    retry: bool = True
    keepalive: float | None = 30.0
    keepalive_timeout: float = 20.0
    tls: TlsOptions | None = None
    token: str = ""
    allow_token_in_plain_text: bool = False


@dataclass(frozen=True, kw_only=True)
class SessionOptions:
    """Options of a session. Times are in seconds.

    Attributes
    ----------
    timeout : float, optional
        Time of the whole session. None: no limit.
    reopen : bool
        Continues on another stream if one ends with UNAVAILABLE or CANCELLED.
    reopen_within : float
        Gives up if a stream breaks this long after the first break since the last answer. A
        connection that is being made by then is awaited, up to gRPC's 20 s.
    request_id, traceparent : str
        Sent with each stream.
    max_unwritten : int
        `send` waits while this many messages have not reached the transport.
    """

    timeout: float | None = None
    reopen: bool = True
    reopen_within: float = 30.0
    request_id: str = ""
    traceparent: str = ""
    max_unwritten: int = 64


def unreachable(error: ClearanceError, address: str) -> ClearanceError:
    """Returns the error of a connection that could not be made, with what to do."""
    hints = (hint for text, hint in _HINTS.items() if text in error.message)
    return type(error)(
        f"no clearance server answers at {address}: {error.message}; "
        + next(hints, f"`clearance doctor --addr {address}` says what is wrong"),
        error.code,
        error.detail,
        error.request_id,
    )


def is_worth_repeating(code: grpc.StatusCode | None) -> bool:
    return code in _REPEATABLE


class Backoff:
    """The waits between tries. Thread-compatible.

    They are 20 ms, then twice as long each time up to a second, less a random part of up to a
    fifth."""

    def __init__(self, within: float) -> None:
        self._within = within
        self._give_up_at: float | None = None
        self._wait = _FIRST_WAIT

    def after_failure(self) -> float | None:
        """Returns the seconds to wait before the next try; None: give up."""
        now = time.monotonic()
        if self._give_up_at is None:
            self._give_up_at = now + self._within
            self._wait = _FIRST_WAIT
        wait = self._wait * random.uniform(0.8, 1.0)
        if now + wait > self._give_up_at:
            return None
        self._wait = min(2 * self._wait, _LONGEST_WAIT)
        return wait

    def after_success(self) -> None:
        self._give_up_at = None


class Reconnecting:
    """Makes gRPC look for a server that is gone, from `start` to `stop`. Used by one thread.

    Between calls only a timer of five seconds drives a channel's sockets, so a server that returns
    would be found late. A call that waits for the server makes gRPC look at once. (A subscription
    to the channel's state does so too, but its thread dies of an exception when the channel is
    closed.)"""

    def __init__(self, channel: grpc.Channel) -> None:
        # A service that does not ask for credentials.
        self._method = channel.unary_unary("/grpc.health.v1.Health/Check")
        self._call: grpc.Future | None = None

    def start(self) -> None:
        if self._call is None or self._call.done():
            try:
                self._call = start_stream(lambda: self._method.future(b"", wait_for_ready=True))
            except ValueError:  # gRPC's error for a closed channel
                self._call = None

    def stop(self) -> None:
        if self._call is not None:
            self._call.cancel()
            self._call = None


@dataclass(frozen=True)
class Target:
    """An address in gRPC's form, which accepts a list of numbers but not of names.

    `authority`: the host of requests and certificates; "": gRPC derives it. `may_be_several`: a
    list, or a name that may stand for several servers."""

    address: str
    authority: str = ""
    may_be_several: bool = False


def joined(address: str | Sequence[str]) -> str:
    """Returns a list of servers as one text."""
    return address if isinstance(address, str) else ",".join(address)


def to_target(address: str, options: ClientOptions) -> Target:
    """Returns gRPC's form of an address.

    A missing port is 50051. The names of a list ("a:1,b:1") are resolved here, once; unknown names
    are left out. Blocks.

    Raises
    ------
    InvalidArgument
        A place is not a host and a port, or TLS has several hosts and no `server_name`.
    Unavailable
        No name can be resolved.
    """
    if address.startswith(_SCHEMES):
        return Target(_with_ports(address), may_be_several=_may_be_several(address))
    places = [_listed_place(text.strip()) for text in address.split(",")]
    if "," not in address:
        return Target(_with_port(address.strip()))
    authority = _authority(places, options)
    numbers: list[tuple[str, int]] = []
    failures = []
    for host, port in places:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            failures.append(f"{host}:{port}: {error.strerror}")
            continue
        numbers += [(str(info[4][0]), port) for info in found]
    if not numbers:
        raise Unavailable("; ".join(failures))
    return Target(_grpc_list(list(dict.fromkeys(numbers))), authority, may_be_several=True)


def _may_be_several(address: str) -> bool:
    """Returns whether an address of gRPC's own may stand for several servers."""
    return address.startswith(("dns:", "xds:")) or (
        address.startswith(("ipv4:", "ipv6:")) and "," in address
    )


def _with_port(place: str) -> str:
    """Returns the place with a port. gRPC would take 443 for a missing one."""
    if ":" not in place or place.endswith(("]", "%5D")):
        return f"{place}:{_DEFAULT_PORT}"
    is_in_brackets = place.startswith(("[", "%5B"))
    is_complete = is_in_brackets or place.count(":") == 1
    return place if is_complete else f"[{place}]:{_DEFAULT_PORT}"


def _with_ports(address: str) -> str:
    """Returns an address of gRPC's own with ports."""
    if not address.startswith(("dns:", "ipv4:", "ipv6:")):
        return address
    # A name may have the server that resolves it before it: dns://1.2.3.4/name.
    slash = address.rfind("/") if address.startswith("dns:") else -1
    begin = 1 + (address.index(":") if slash < 0 else slash)
    return address[:begin] + ",".join(_with_port(place) for place in address[begin:].split(","))


def _listed_place(text: str) -> tuple[str, int]:
    host, _, port = _with_port(text).rpartition(":")
    if host.startswith("["):
        host = host[1:-1] if host.endswith("]") else ""
    is_port = port.isdecimal() and port.isascii() and 0 < int(port) <= _LARGEST_PORT
    if not host or "/" in host or not is_port:
        raise invalid(
            "address", text, "a host and a port, such as 127.0.0.1:50051, without http://"
        )
    return host, int(port)


def _authority(places: list[tuple[str, int]], options: ClientOptions) -> str:
    """Returns the authority of a list: gRPC's own names all places, which proxies refuse."""
    host, port = places[0]
    if options.tls is None:
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if options.tls.server_name:
        return options.tls.server_name
    for other, _ in places:
        if other != host:
            raise invalid(
                "tls.server_name",
                "",
                f"what the certificates of all are for: {host} and {other} are different hosts",
            )
    return host


def _grpc_list(numbers: list[tuple[str, int]]) -> str:
    """Returns gRPC's form of a list, which has one family: IPv4 is written as IPv6 if needed."""
    if not any(":" in host for host, _ in numbers):
        return "ipv4:" + ",".join(f"{host}:{port}" for host, port in numbers)
    wide = [(host if ":" in host else f"::ffff:{host}", port) for host, port in numbers]
    return "ipv6:" + ",".join(f"%5B{host}%5D:{port}" for host, port in wide)  # of [ and ]


# Whether this process, or one that it was forked from, has made a connection.
_has_connected = False
# When the last connection of this process had its first answer, by time.monotonic().
_greeted_at = -math.inf
# The calls of sessions and watches, those of asyncio aside; none starts without the lock.
_streams: weakref.WeakSet[Any] = weakref.WeakSet()
_starting = threading.Lock()
# Whether gRPC's threads stayed in the parent of this process, so that no call would ever end.
_is_without_threads = False


def _has_fork_support() -> bool:
    return os.environ.get("GRPC_ENABLE_FORK_SUPPORT", "1").lower() not in ("0", "false", "no")


def _takes_care_of_streams() -> bool:
    """Returns whether gRPC itself ends the streams of a child; only if it is told to."""
    return os.environ.get("GRPC_ENABLE_FORK_SUPPORT", "").lower() in ("1", "true", "yes")


def _warn_of_forks() -> None:
    """Warns of a gRPC that takes care of streams, and whose forks then hang now and then.

    Threads of Debian's gRPC 1.51 end while it forks, within Abseil's allocator. If one of them is
    interrupted there, its lock stays closed in the child for ever. gRPC 1.59 was seen to hang too.
    """
    version = tuple(int(number) for number in grpc.__version__.split(".")[:2])
    if _takes_care_of_streams() and version < _SAFE_FORKS:
        warnings.warn(
            f"GRPC_ENABLE_FORK_SUPPORT=1 is set, and gRPC is {grpc.__version__}: under load a child "
            "of os.fork() may hang; unset the variable, or start processes by `spawn` or "
            "`forkserver`",
            RuntimeWarning,
            stacklevel=2,
        )


def start_stream(start: Callable[[], Any]) -> Any:
    """Returns the call that `start` makes, for a session or a watch. Waits for a fork to end."""
    with _starting:
        call = start()
        _streams.add(call)
    return call


def _let_grpc_settle() -> None:
    """Waits before a fork until gRPC is at rest, and breaks open streams if gRPC does not.

    A connection still has work to do after its first answer. With gRPC 1.51 a fork in the midst of
    that never returns, because gRPC's threads wait for each other. Beside an open stream the parent
    crashes or the child hangs, unless GRPC_ENABLE_FORK_SUPPORT=1: then gRPC waits for the streams'
    threads, and a cancellation here would hang with them. Broken streams open again by themselves.
    """
    global _greeted_at
    _starting.acquire()
    if not _has_fork_support():
        return
    for stream in [] if _takes_care_of_streams() else list(_streams):
        if not stream.done():
            stream.cancel()
            _greeted_at = time.monotonic()
    time.sleep(max(0, _greeted_at + _SETTLING - time.monotonic()))


def _note_fork() -> None:
    global _is_without_threads
    _streams.clear()
    _starting.release()
    _is_without_threads = _has_connected and not _has_fork_support()


os.register_at_fork(
    before=_let_grpc_settle, after_in_parent=_starting.release, after_in_child=_note_fork
)


class ProcessGuard:
    """Remembers which process made a connection."""

    def __init__(self) -> None:
        global _has_connected
        if _is_without_threads:
            raise ForkError(
                "this process was forked from one with connections, and "
                "GRPC_ENABLE_FORK_SUPPORT=0 lets gRPC stop working then: unset it, or start "
                "processes by `spawn` or `forkserver`"
            )
        if not _has_connected:
            _warn_of_forks()
        _has_connected = True
        self._pid = os.getpid()

    def note_greeting(self) -> None:
        """Notes that the server has answered for the first time."""
        global _greeted_at
        _greeted_at = time.monotonic()

    def check(self) -> None:
        if os.getpid() != self._pid:
            raise ForkError(
                f"the connection was made by process {self._pid}, which then forked; "
                "connect again in this one"
            )


def channel_arguments(target: Target, options: ClientOptions) -> list[tuple[str, int | str]]:
    arguments: list[tuple[str, int | str]] = [
        ("grpc.max_send_message_length", options.max_send_bytes),
        ("grpc.max_receive_message_length", options.max_receive_bytes),
        # Clients of one process would otherwise share a connection and its flow-control window.
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.enable_retries", int(options.retry)),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 1000),
        ("grpc.service_config", _SERVICE_CONFIG),
    ]
    if options.keepalive is not None:
        # A session that waits for its next question still must notice a dead peer.
        arguments += [
            ("grpc.keepalive_time_ms", int(1000 * options.keepalive)),
            ("grpc.keepalive_timeout_ms", int(1000 * options.keepalive_timeout)),
            # Newer gRPC closes by this one, a minute if it is not given.
            ("grpc.http2.ping_timeout_ms", int(1000 * options.keepalive_timeout)),
            ("grpc.http2.max_pings_without_data", 0),
        ]
    if target.authority:
        arguments.append(("grpc.default_authority", target.authority))
    if options.tls and options.tls.server_name:
        arguments.append(("grpc.ssl_target_name_override", options.tls.server_name))
    return arguments


def credentials(options: ClientOptions) -> grpc.ChannelCredentials | None:
    """Returns the channel credentials, or None for plain text."""
    if options.tls is None:
        return None
    tls = options.tls
    return grpc.ssl_channel_credentials(
        tls.root_certificates, tls.private_key, tls.certificate_chain
    )


def metadata(token: str, request_id: str = "", traceparent: str = "") -> list[tuple[str, str]]:
    """Returns the metadata of a call, without ids that gRPC cannot carry."""
    ids = (("x-request-id", request_id), ("traceparent", traceparent))
    sent = [(key, text) for key, text in ids if text and _is_printable(text)]
    if token:
        sent.append(("authorization", f"Bearer {token}"))
    return sent


def check_token(options: ClientOptions, address: str) -> None:
    """Raises FailedPrecondition if the token would go to another machine in plain text."""
    if not _is_printable(options.token):
        raise invalid("token", "…", "printable ASCII without blanks")
    is_safe = not options.token or options.tls is not None or options.allow_token_in_plain_text
    if not is_safe and not is_this_machine(address):
        raise FailedPrecondition(
            f"the token is not sent to {address} over plain text, where others could read it: "
            "use TLS, or allow it explicitly"
        )


def _is_printable(text: str) -> bool:
    return all("!" <= c <= "~" for c in text)


def is_this_machine(address: str) -> bool:
    """Returns whether a gRPC address names only loopback or a Unix socket."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    # If an authority is given (dns://server/name), another server resolves the name.
    for scheme in ("dns:///", "dns:", "ipv4:", "ipv6:"):
        if address.startswith(scheme):
            address = address[len(scheme) :]
            break
    return all(_is_loopback(place.strip()) for place in address.split(","))


def _is_loopback(place: str) -> bool:
    if place.startswith("["):
        host = place[1:].split("]")[0]
    else:
        host = place if place.count(":") > 1 else place.split(":")[0]
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_version(version: str) -> None:
    """Raises VersionError unless the server has this package's major version."""
    major = version.split(".")[0]
    if major != str(_MAJOR_VERSION):
        raise VersionError(
            f"the server has version {version}, this package knows {_MAJOR_VERSION}.x; "
            "install the package of the server's version"
        )
