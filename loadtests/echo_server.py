"""The baseline: a bare grpc.aio server on uvloop that answers what it is sent."""

import asyncio
import sys

import grpc
import uvloop


async def _echo(data: bytes, _context: grpc.aio.ServicerContext) -> bytes:
    return data


async def main(port: str) -> None:
    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(_echo)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    uvloop.install()
    asyncio.run(main(sys.argv[1]))
