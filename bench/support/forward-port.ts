import { connect, createServer } from 'node:net'

/** Opens another port to a server of this machine: Argo CD tells clusters apart by their addresses. */
export async function forwardPort(port: number): Promise<number> {
  const listener = createServer((socket) => {
    const onward = connect(port, '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      end.on('error', () => other.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  listener.unref()
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
