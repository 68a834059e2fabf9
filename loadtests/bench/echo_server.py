"""The baselines: a bare grpc.aio server on uvloop that answers what it is sent, at once, after one commit by redis-py's ordinary client, or on streams."""

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncIterator

import grpc
import uvloop
from redis.asyncio import Redis

_SNAPSHOT = b"s" * 1500
_ENTRY = b"e" * 250
_KEY = "bench:echo"
_COMMIT = """
if redis.call('HGET', KEYS[1], 'r') == ARGV[1] then return 'CONFLICT' end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', 1000, '*', 'e', ARGV[3])
redis.call('PEXPIRE', KEYS[2], 60000)
redis.call('HSET', KEYS[1], 'r', 0, 's', ARGV[2])
redis.call('PEXPIRE', KEYS[1], 60000)
return 'COMMITTED'
"""


async def main(port: str, redis_url: str) -> None:
    """Serve until the process is ended."""
    redis = Redis.from_url(redis_url, retry=None)
    script = await redis.script_load(_COMMIT)

    async def echo(data: bytes, _context: grpc.aio.ServicerContext) -> bytes:
        return data

    async def commit(data: bytes, _context: grpc.aio.ServicerContext) -> bytes:
        await redis.evalsha(script, 2, _KEY, f"{_KEY}:log", 1, _SNAPSHOT, _ENTRY)
        return data

    tables: defaultdict[bytes, list[grpc.aio.ServicerContext]] = defaultdict(list)
    told: defaultdict[bytes, list[bytes]] = defaultdict(list)

    async def tell(requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext) -> None:
        """Tell what comes on a stream on all streams that began with the same message, as each move of a match is told to all its seats."""
        name = await anext(requests)
        for data in told[name]:  # said on another stream before this one was read
            await context.write(data)
        tables[name].append(context)
        async for data in requests:
            if len(tables[name]) == 1:
                told[name].append(data)
            for listener in tables[name]:
                await listener.write(data)

    server = grpc.aio.server()
    methods = {
        "Echo": grpc.unary_unary_rpc_method_handler(echo),
        "Commit": grpc.unary_unary_rpc_method_handler(commit),
        "Tell": grpc.stream_stream_rpc_method_handler(tell),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", methods),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    uvloop.install()
    asyncio.run(main(*sys.argv[1:]))
