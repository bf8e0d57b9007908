import { describe, expect, it } from 'vitest'
import { OpenStreams } from '../../src/http/open-streams.ts'
import { createRateLimit } from '../../src/http/rate-limit.ts'
import { networkOf } from '../../src/platform/network-of.ts'

describe('the network of an address', () => {
  it('is an IPv4 address itself in any notation, and the /64 of an IPv6 address', () => {
    expect(
      ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:0:5::1', '2001:0DB8::5:ffff:1:2:3', '::1', 'fe80::9%eth0', 'x'].map(
        networkOf,
      ),
    ).toEqual([
      '192.0.2.7',
      '192.0.2.7',
      '2001:db8:0:5::/64',
      '2001:db8:0:5::/64',
      '0:0:0:0::/64',
      'fe80:0:0:0::/64',
      'x',
    ])
  })

  it('limits streams: addresses of the same /64 share one limit', () => {
    const streams = new OpenStreams({ credential: 9, account: 9, address: 2 })
    const from = (ip: string) => ({ viewer: null, ip }) as unknown as Parameters<OpenStreams['take']>[0]
    streams.take(from('2001:db8::1'))
    streams.take(from('2001:db8::2'))
    expect(() => streams.take(from('2001:db8::3'))).toThrow(/at most 2 streams/)
    expect(() => streams.take(from('2001:db8:0:1::3'))).not.toThrow()
  })

  it('limits the request rate', async () => {
    const rate = createRateLimit(10)
    const reply = { header: () => reply, getHeader: () => undefined, raw: {} } as unknown as Parameters<
      typeof rate.count
    >[0]
    for (const host of ['1', '2']) await rate.count(reply, { address: `2001:db8::${host}` })
    await expect(rate.count(reply, { address: '2001:db8::3' })).rejects.toThrow(/More than 2 requests/)
    await rate.count(reply, { address: '2001:db8:0:1::3' })
  })
})
