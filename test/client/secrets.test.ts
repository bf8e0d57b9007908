// @module-tag sampled
/** Secrets in the texts of files that a push is about to send. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createHubClient, type PushOptions, pushFolder, SecretsFound } from '@hub/client/internal'
import { walkFolder } from '@hub/client/walk'
import { cpuWithin } from '@hub/testing/cpu'
import { itInTorture } from '@hub/testing/torture'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silent } from '../../packages/client/src/progress.ts'
import { assertNoSecrets } from '../../packages/client/src/secrets/look-for-secrets.ts'
import { secretsIn } from '../../packages/client/src/secrets/secret-rules.ts'
import { type HubDouble, startHubDouble } from '../../packages/client/test/hub-double.ts'
import { newKeyToken } from '../../src/auth/api-key.ts'

let hub: HubDouble
let base: string
let dir: string

beforeEach(async () => {
  hub = await startHubDouble(100_000_000)
  base = await mkdtemp(join(tmpdir(), 'hub-secrets-'))
  dir = join(base, 'robot')
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

const put = async (path: string, text: string | Buffer) => {
  await mkdir(dirname(join(dir, path)), { recursive: true })
  await writeFile(join(dir, path), text)
}
const push = (more: Partial<PushOptions> = {}) =>
  pushFolder(createHubClient({ url: hub.url, token: 't' }), { owner: 'o', slug: 's' }, dir, {
    cacheDir: join(base, 'cache'),
    ...more,
  })
const places = async (push: Promise<unknown>) => {
  const error = await push.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof SecretsFound ? error.secrets.map(({ path, line, kind }) => `${path}:${line}: ${kind}`) : error
}

const letters = (count: number) =>
  Array.from(randomBytes(count), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
const jwt = (typ: string) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'EdDSA', typ })}.${part({ sub: 'user_1', exp: 1 })}.${randomBytes(64).toString('base64url')}`
}
const pem = (type: 'rsa' | 'ed25519' | 'ec', encoding: 'pkcs1' | 'pkcs8' | 'sec1') => {
  const options = { modulusLength: 2048, namedCurve: 'P-256' }
  const { privateKey } = generateKeyPairSync(type as 'rsa', options)
  return privateKey.export({ type: encoding as 'pkcs8', format: 'pem' }) as string
}

/** Made here: a test with a real-looking secret in it could not be pushed anywhere. */
const secrets: readonly (readonly [kind: string, secret: () => string])[] = [
  ['API key of a hub', newKeyToken],
  ['session or approval of a hub', () => jwt('hub-session+jwt')],
  ['session or approval of a hub', () => jwt('svc-approval+jwt')],
  ['GitHub Token', () => `ghp_${letters(36)}`],
  ['Hugging Face User Access Token', () => `hf_${letters(34)}`],
  ['AWS Secret Access Key', () => `aws_secret_access_key = ${letters(40)}`],
  ['private key', () => pem('rsa', 'pkcs1')],
  ['private key', () => pem('ec', 'sec1')],
  ['private key', () => pem('ed25519', 'pkcs8')],
  ['private key', () => JSON.stringify({ key: pem('ed25519', 'pkcs8') })],
  ['slack token', () => `xoxb-123456789012-123456789012-${letters(24)}`],
]

describe('a text', () => {
  it.each(secrets)('with one %s has it on its line, and says nothing of it', async (kind, make) => {
    const secret = make()
    const found = await secretsIn(`# notes\n\n${secret}\n`, '/robot/notes.md')
    expect(found).toEqual([{ line: 3, kind: expect.stringMatching(new RegExp(`^${kind}$`, 'i')) }])
  })

  it.each([
    ['a key of a hub with a typo', () => newKeyToken().replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))],
    ['the shape of a key', () => `hub_key_${'x'.repeat(36)}`],
    ['a placeholder', () => '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----'],
    ['a certificate', () => `-----BEGIN CERTIFICATE-----\nMII${letters(61)}\n-----END CERTIFICATE-----`],
    [
      'a password in a URL of an example',
      () => 'postgres://user:password@db.example.com/x https://me:secret@example.com',
    ],
    ['another JWT', () => jwt('JWT')],
    ['a digest', () => randomBytes(32).toString('hex')],
  ])('with %s has none', async (_what, make) => {
    expect(await secretsIn(make(), '/robot/notes.md')).toEqual([])
  })

  it('has none on a line that a person marked', async () => {
    const text = `${newKeyToken()} # secretlint-disable-line\n${newKeyToken()}\n`
    expect(await secretsIn(text, '/robot/notes.md')).toEqual([{ line: 2, kind: 'API key of a hub' }])
  })

  itInTorture('that is made to be slow is not', async () => {
    const hostile = [
      'a',
      ' ',
      '\n',
      '-----BEGIN PRIVATE KEY-----\n',
      'eyJaaaaaaaaaaaa.',
      'hub_key_',
      'https://a:b',
      'key=',
    ].map((piece) => piece.repeat(Math.ceil(4_000_000 / piece.length)))
    for (const text of [...hostile, `-----BEGIN PRIVATE KEY-----${'\n'.repeat(4_000_000)}`]) {
      expect(await cpuWithin(20_000, () => secretsIn(text, '/robot/notes.md'))).toBeLessThan(20_000)
    }
  })
})

describe('a push', () => {
  it('sends nothing while a file holds a secret, and names every file and line', async () => {
    await put('a.xml', '<mujoco/>')
    await put('src/train.py', `import os\nkey = "${newKeyToken()}"\n`)
    await put('notes.md', `${newKeyToken()}\n`)
    expect(await places(push())).toEqual(['notes.md:1: API key of a hub', 'src/train.py:2: API key of a hub'])
    expect(hub.calls.filter((call) => !call.startsWith('GET') && !call.startsWith('PATCH'))).toEqual([])
    expect([...hub.files.keys()]).toEqual([])
  })

  it('makes no repo either, and a dry run says the same', async () => {
    await put('notes.md', newKeyToken())
    hub.repoExists = false
    expect(await places(push({ kind: 'robot', dryRun: true }))).toEqual(['notes.md:1: API key of a hub'])
    expect(await places(push({ kind: 'robot' }))).toEqual(['notes.md:1: API key of a hub'])
    expect(hub.calls).not.toContain('POST ')
  })

  it('sends what is allowed by name, and with includeSecrets everything', async () => {
    await put('docs/notes.md', newKeyToken())
    await put('b.md', newKeyToken())
    expect(await places(push({ allowSecrets: ['docs/'] }))).toEqual(['b.md:1: API key of a hub'])
    expect(await push({ allowSecrets: ['docs/', 'b.md'] })).toMatchObject({ sent: ['b.md', 'docs/notes.md'] })
    await put('c.md', newKeyToken())
    expect(await push({ leaveOut: { ignore: true, includeSecrets: true } })).toMatchObject({ sent: ['c.md'] })
  })

  it('does not look again at what the repo has, at what is not selected, nor at a credential that is included by name', async () => {
    await put('old.md', newKeyToken())
    await put('.env', `HUB_TOKEN=${newKeyToken()}\n`)
    await put('other.md', newKeyToken())
    expect(
      await push({ allowSecrets: ['old.md'], filter: { include: ['old.md', '.env'], exclude: [] } }),
    ).toMatchObject({
      sent: ['.env', 'old.md'],
    })
    expect(await push({ filter: { include: ['old.md'], exclude: [] } })).toMatchObject({ sent: [], skipped: 1 })
    expect(await push({ filter: { include: [], exclude: ['other.md'] } })).toMatchObject({ skipped: 1 })
  })

  it('looks into no binary file, and into none of more than 4 MiB', async () => {
    await put('weights.bin', Buffer.concat([Buffer.alloc(10), Buffer.from(newKeyToken())]))
    await put('log.txt', `${newKeyToken()}\n${'x'.repeat(4 * 1_048_576)}`)
    await put('empty.txt', '')
    expect(await push()).toMatchObject({ sent: ['empty.txt', 'log.txt', 'weights.bin'] })
  })

  it('stops looking when that takes too long, and says how much it left out', async () => {
    for (const name of ['a', 'b', 'c']) await put(`${name}.md`, newKeyToken())
    const notes: string[] = []
    const progress = { ...silent, note: (text: string) => notes.push(text) }
    const looking = { isMeant: () => false, progress, signal: AbortSignal.timeout(120_000), lookMs: 0 }
    await assertNoSecrets(await walkFolder(dir), [], looking)
    expect(notes).toEqual(['warning: looking for secrets took too long: 3 of 3 files were not looked into'])
  })
})
