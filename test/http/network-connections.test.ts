import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { limitConnections } from '../../src/http/network-connections.ts'

const server = createServer((_request, response) => response.end('here'))
const peers: Socket[] = []
afterEach(async () => {
  for (const peer of peers) peer.destroy()
  await new Promise((resolve) => server.close(resolve))
})

it('closes a connection too many of one address at once, and takes one when another has ended', async () => {
  limitConnections(server, 3)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  /** Whether a connection is answered. */
  const open = () =>
    new Promise<boolean>((resolve) => {
      const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
      peers.push(peer)
      peer.on('error', () => resolve(false)).on('close', () => resolve(false))
      peer.on('data', () => resolve(true)).write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    })
  expect([await open(), await open(), await open(), await open(), await open()]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
  peers[0]?.destroy()
  await expect.poll(open).toBe(true)
})
