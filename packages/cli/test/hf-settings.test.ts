/** Where `hub import` asks, and with which key. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENTROPY_CHARS, KEY_PREFIX, keyChecksum } from '@hub/formats/key-token'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sourceSettings } from '../src/hf-settings.ts'

const url = 'https://hub.lab'
const entropy = 'a'.repeat(ENTROPY_CHARS)
const hubKey = `${KEY_PREFIX}${entropy}${keyChecksum(entropy)}`
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hf-home-'))
})
afterAll(() => rm(home, { recursive: true }))

describe('the key of an import', () => {
  const tokenOf = async (stored: string, env: Readonly<Record<string, string>> = {}, from?: string) => {
    await writeFile(join(home, 'token'), stored)
    return sourceSettings({ HF_HOME: home, ...env }, { url, ownToken: null, ...(from !== undefined && { from }) })
  }

  it('for Hugging Face is the one of its own login', async () => {
    expect(await tokenOf('hf_secret\n')).toEqual({ from: null, token: 'hf_secret' })
    expect(await tokenOf('hf_secret', { HF_TOKEN: 'hf_other' })).toEqual({ from: null, token: 'hf_other' })
  })

  it.each([hubKey, `hf_${hubKey}`])('for Hugging Face is not a key of a hub: %s', async (key) => {
    expect(await tokenOf(key)).toEqual({ from: null, token: null })
    expect(await tokenOf('', { HF_TOKEN: key })).toEqual({ from: null, token: null })
  })

  it('for another hub is a key of that', async () => {
    const from = 'https://hub.other-lab'
    expect(await tokenOf('hf_secret', { HF_TOKEN: hubKey }, from)).toEqual({ from, token: hubKey })
    expect(await tokenOf('hf_secret', {}, from)).toEqual({ from, token: null })
  })
})
