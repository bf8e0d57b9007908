// @module-tag sampled
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeOnce, itInTorture, itOnce } from '@hub/testing/torture'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runHub } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let home: string
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hub-login-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const env = (more: Record<string, string> = {}) => ({ HOME: home, HUB_URL: hub.running.url, ...more })
const file = () => join(home, '.config', 'hub', 'client.json')
const stored = async (): Promise<Json> => JSON.parse(await readFile(file(), 'utf8'))
const approve = (code: string) =>
  hub.graphql(
    ada,
    'mutation ($code: String!) { approveDeviceLogin(input: { userCode: $code }) { login { name scope keyTtlSeconds } } }',
    { code },
  )

describe('hub login', () => {
  itInTorture(
    'shows a code, waits for the approval, stores the key for its user alone, and hub logout revokes it',
    async () => {
      let approved: Promise<Json> | undefined
      let told = ''
      const login = await runHub(
        ['login', '--no-browser', '--scope', 'train', '--days', '2', '--name', 'bench-3', '--json'],
        env(),
        {
          onError: (text) => {
            told += text
            const code = /Your code: {2}([A-Z]{4}-[A-Z]{4})/.exec(told)?.[1]
            if (code) approved ??= approve(code)
          },
        },
      )
      const { login: asked } = (await approved)?.data.approveDeviceLogin ?? {}
      expect(asked).toEqual({ name: 'bench-3', scope: 'TRAIN', keyTtlSeconds: 172_800 })
      expect(told).toMatch(
        /^Your code: {2}[A-Z]{4}-[A-Z]{4}\nScope: {6}train: also start runs and endpoints, which may cost money\nValid for: {2}2 days\n/m,
      )
      expect(told).toMatch(new RegExp(`${hub.running.url}/auth/device\\?user_code=[A-Z]{4}-[A-Z]{4}`))
      expect([login.code, JSON.parse(login.out)]).toEqual([
        0,
        {
          url: hub.running.url,
          account: ada.handle,
          scope: 'train',
          expires_at: expect.any(String),
          key_id: expect.stringMatching(/^key_/),
          file: file(),
        },
      ])
      expect((await stat(file())).mode & 0o777).toBe(0o600)
      const { token, key_id: keyId } = await stored()
      expect(told + login.out).not.toContain(token)
      expect((await runHub(['whoami', '--json'], env())).code).toBe(0)

      const out = await runHub(['logout'], env())
      expect(out).toMatchObject({ code: 0, out: expect.stringContaining(`The key ${keyId} is revoked`) })
      await expect(stat(file())).rejects.toThrow('ENOENT')
      expect((await hub.call(token, 'GET', '/v1/me')).status).toBe(401)
    },
  )

  itOnce(
    'stores a token that is piped in, set or typed without an echo, and never one that the hub refuses',
    async () => {
      const key = await hub.key(ada)
      const piped = await runHub(['login'], env(), { stdin: `${key}\n` })
      expect([piped.code, (await stored()).token]).toEqual([0, key])
      const out = await runHub(['logout', '--json'], env())
      expect(JSON.parse(out.out)).toMatchObject({ logged_out: true, revoked: false, key_id: null })
      expect((await hub.call(key, 'GET', '/v1/me')).status).toBe(200)

      const typed = await runHub(['login', '--paste'], env(), { stdin: `${key}\n`, isTTY: true })
      expect([typed.code, (await stored()).token, (typed.err + typed.out).includes(key)]).toEqual([0, key, false])

      await runHub(['logout'], env())
      const wrong = await runHub(['login', '--json'], env({ HUB_TOKEN: `${key}x` }))
      expect([wrong.code, JSON.parse(wrong.err).error.type]).toEqual([7, 'auth.invalid'])
      await expect(stat(file())).rejects.toThrow('ENOENT')
      expect((await runHub(['login'], env())).err).toContain('--no-browser')
    },
  )

  itOnce('asks on a terminal whether to sign in on a page or with a token, until it has an answer', async () => {
    const key = await hub.key(ada)
    const typed = await runHub(['login'], env(), { stdin: ['3\n', '2\n', `${key}\n`], isTTY: true })
    expect([typed.code, (await stored()).token, (typed.err + typed.out).includes(key)]).toEqual([0, key, false])
    expect(typed.err.match(/Choose 1 or 2 \[1\]: /g)).toHaveLength(2)
    // What follows the choice of the page is a code to approve; Ctrl-C gives up.
    let stop = () => {}
    const page = await runHub(['login'], env({ BROWSER: join(home, 'none') }), {
      stdin: '\n',
      isTTY: true,
      stopWith: (interrupt) => {
        stop = interrupt
      },
      onError: (text) => text.includes('Ctrl-C gives up') && stop(),
    })
    expect([page.code, page.err]).toEqual([
      130,
      expect.stringMatching(/Your code: .*\nScope: .*\n.*\nApprove .* at\n {2}http/),
    ])
  })

  itOnce('asks for the URL on a terminal where nothing says it', async () => {
    const key = await hub.key(ada)
    const login = await runHub(
      ['login'],
      { HOME: home, HUB_TOKEN: key },
      { stdin: `${hub.running.url}\n`, isTTY: true },
    )
    expect([login.code, (await stored()).url]).toEqual([0, hub.running.url])
  })
})

describeOnce('a command without a login', () => {
  it.each([['whoami'], ['runs'], ['repo create ada/x --kind robot'], ['check-worker --once']])(
    '%s says so, and exits with 7',
    async (line) => {
      const { code, err } = await runHub(line.split(' '), env())
      expect([code, err]).toEqual([7, `hub: You are not logged in to ${hub.running.url}. Run \`hub login\`.\n`])
    },
  )

  it('says where a refused credential comes from, as one object with --json', async () => {
    const { code, err } = await runHub(['whoami', '--json'], env({ HUB_TOKEN: 'hub_key_ended' }))
    expect([code, JSON.parse(err).error]).toEqual([
      7,
      {
        type: 'auth.invalid',
        title: 'Credential invalid',
        status: 401,
        detail: expect.stringContaining('credential of HUB_TOKEN'),
        errors: [expect.objectContaining({ type: 'auth.invalid' })],
        request_id: expect.stringMatching(/^req_/),
      },
    ])
  })

  it('that finds nothing says that more may be visible with one', async () => {
    const { code, err } = await runHub(['ls', 'nobody/nothing'], env())
    expect([code, err]).toEqual([4, expect.stringContaining('run `hub login`')])
  })
})

describeOnce('hub env', () => {
  it('says what is used, never the token, with and without a hub', async () => {
    const key = await hub.key(ada, { scope: 'read' })
    const known = await runHub(['env', '--json'], env({ HUB_TOKEN: key }))
    expect(known.out).not.toContain(key)
    expect(JSON.parse(known.out)).toMatchObject({
      url: hub.running.url,
      url_from: 'HUB_URL',
      token_from: 'HUB_TOKEN',
      account: ada.handle,
      credential: 'key',
      scope: 'read',
      config_file: file(),
      client_version: expect.stringMatching(/^\d/),
      hub_version: expect.stringMatching(/^\d/),
      fault: null,
    })
    const away = await runHub(['env', '--json'], env({ HUB_URL: 'http://127.0.0.1:9' }))
    expect([away.code, JSON.parse(away.out)]).toMatchObject([0, { reachable: false, token_from: null, account: null }])
    const refused = await runHub(['env'], env({ HUB_TOKEN: 'hub_key_ended' }))
    expect(refused.out).toContain('the hub refuses the credential')
  })

  it("prints the settings of Hugging Face's clients with --hf, the key among them", async () => {
    const key = await hub.key(ada, { scope: 'read' })
    const lines = [
      `export HF_ENDPOINT='${hub.running.url}'`,
      `export HF_TOKEN='${key}'`,
      "export HF_HUB_DISABLE_XET='1'",
    ]
    expect(await runHub(['env', '--hf'], env({ HUB_TOKEN: key }))).toMatchObject({
      code: 0,
      out: `${lines.join('\n')}\n`,
    })
    const away = await runHub(['env', '--hf'], env({ HUB_URL: 'http://127.0.0.1:9' }))
    expect([away.code, away.out]).toEqual([0, expect.stringContaining('# HF_TOKEN: not logged in')])
    expect(away.out).not.toContain('export HF_TOKEN')
    const json = await runHub(['env', '--hf', '--json'], env({ HUB_TOKEN: key }))
    expect(JSON.parse(json.out)).toEqual({ HF_ENDPOINT: hub.running.url, HF_TOKEN: key, HF_HUB_DISABLE_XET: '1' })
  })
})
