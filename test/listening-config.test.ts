import { describe, expect, it } from 'vitest'
import { listeningConfig } from '../src/listening-config.ts'
import { readConfig } from '../src/platform/config.ts'

describe('the settings of a hub that listens', () => {
  it.each<[string, Record<string, string>, string | null, string | null]>([
    ['a fixed port', { PORT: '4321' }, 'http://127.0.0.1:4321', 'http://127.0.0.1:4321'],
    ['a port that the system chooses', { PORT: '0' }, null, 'http://127.0.0.1:4321'],
    ['every address', { PORT: '0', HOST: '0.0.0.0' }, null, null],
    ['a public URL', { PORT: '0', PUBLIC_URL: 'https://hub.test/' }, 'https://hub.test', 'https://hub.test'],
  ])('have the address of %s as soon as it is known', (_, settings, before, after) => {
    const given = Object.freeze(readConfig({ HOST: '127.0.0.1', ...settings }))
    const { config, listensOn } = listeningConfig(given)
    expect(config.publicUrl).toBe(before)
    listensOn(4321)
    expect([config.port, config.publicUrl]).toEqual([4321, after])
    expect({ ...config, port: given.port, publicUrl: given.publicUrl }).toEqual(given)
  })
})
