/** Which uids a hub can give to calls: what the settings, the kernel and the files of the system say. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { afterAll, describe, expect, it } from 'vitest'
import { isHidden, isInSubordinate, isMapped } from '../../src/hosting/process/own-uids.ts'
import { isolationOf, processFault, processRisk } from '../../src/hosting/process/process-settings.ts'
import { endAllOf, uidsOf } from '../../src/hosting/process/user-processes.ts'
import { readConfig } from '../../src/platform/config.ts'
import { asRoot, givesUids, isRoot } from '../support/open-folder.ts'

const dir = mkdtempSync(join(tmpdir(), 'hub-own-uids-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const config = (more: Record<string, string>) =>
  readConfig({ HUB_DATA_DIR: dir, HOSTED_APP_NAME: 'coach', HOSTED_COMMAND: 'true', ...more })

describe('a hub that cannot become another user itself', () => {
  it('gives calls uids, and none where setpriv does not run', needs(!givesUids && asRoot), () => {
    const ask = `import { asUserFault } from './src/hosting/process/as-user.ts'
      process.stdout.write(String(asUserFault()))`
    const node = [process.execPath, '--input-type=module', '-e', ask]
    const asked = (path: string) =>
      execFileSync('/usr/bin/env', ['setpriv', '--no-new-privs', '/usr/bin/env', `PATH=${path}`, ...node], {
        cwd: join(import.meta.dirname, '../..'),
        encoding: 'utf8',
      })
    expect([asked('/usr/bin:/bin'), asked('/nowhere')]).toEqual(['null', expect.stringContaining('does not run')])
  })
})

describe('HOSTED_UIDS', () => {
  it.each([
    ['a name', 'coach', 'must be a range of ids'],
    ['one id', '70000', 'must be a range of ids'],
    ['a range backwards', '70001-70000', 'must be a range of ids'],
    ['ids of the system', '500-2000', 'must be a range of ids from 1000 on'],
    ['ids beyond 31 bits', '2147483000-2147483648', 'must be a range of ids'],
    ['ids of systemd', '61000-61184', 'must not have ids of 61184-65535'],
    ['nobody', '65534-70000', 'must not have ids of 61184-65535'],
    ['fewer ids than calls', '70000-70006', 'has fewer ids than the 8 calls of HOSTED_MAX_PROCESSES'],
  ])('is not %s', (_what, value, fault) => {
    expect(() => config({ HOSTED_UIDS: value })).toThrow(`HOSTED_UIDS: ${fault}`)
  })

  it('has a default that takes as many calls as may run', () => {
    const { uids, maxProcesses } = config({ HOSTED_MAX_PROCESSES: '10000' }).hosted
    expect([uids, maxProcesses]).toEqual([{ first: 70_000, last: 79_999 }, 10_000])
  })

  it('is refused where the hub is not root', needs(isRoot && 'as root it may be set'), () => {
    expect(() => config({ HOSTED_UIDS: '70000-70100' })).toThrow(/HOSTED_UIDS: only a hub that runs as root/)
  })
})

describe('without a uid of its own for each call', () => {
  it('a hub says that calls and hub are one trust domain', () => {
    const why = isRoot ? 'HOSTED_UIDS is off' : 'the hub does not run as root'
    const found = config(isRoot ? { HOSTED_UIDS: 'off' } : {})
    expect(isolationOf(found)).toEqual({ is: 'hub-user', why })
    expect(processRisk(found)?.warning).toBe(
      `All hosted calls run as the user of the hub (${why}) and are one trust domain with it: each can read HUB_SECRET, the data folder, and the keys and files of the others.`,
    )
  })

  it('but with HOSTED_USER, a hub says that calls are one trust domain', needs(!isRoot && asRoot), () => {
    const found = config({ HOSTED_UIDS: 'off', HOSTED_USER: 'nobody' })
    expect(isolationOf(found)).toMatchObject({ is: 'one-user', user: { name: 'nobody' } })
    expect(processRisk(found)?.warning).toBe(
      'All hosted calls run as HOSTED_USER nobody (HOSTED_UIDS is off) and are one trust domain: each can read the keys and files of the others.',
    )
  })

  it('no call is started where HOSTED_UIDS names them', needs(!givesUids && asRoot), () => {
    const before = process.env.TMPDIR
    process.env.TMPDIR = dir
    try {
      const why = `other users cannot enter ${dir}, where the folders of calls are (TMPDIR)`
      const named = config({ HOSTED_UIDS: '70000-70100' })
      expect(processFault(named)).toBe(`HOSTED_UIDS cannot be given to calls: ${why}.`)
      expect(isolationOf(config({}))).toEqual({ is: 'hub-user', why })
      expect(processFault(config({}))).toBeNull()
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  })
})

describe('with one', () => {
  it('there is nothing to say, also where HOSTED_USER is set', needs(!givesUids && asRoot), () => {
    const found = config({ HOSTED_USER: 'nobody' })
    expect([isolationOf(found).is, processRisk(found), processFault(found)]).toEqual(['own-uid', null, null])
  })

  it('calls can still ask the machine for the credentials that the hub has for its bucket', () => {
    const bucket = { OBJECT_STORE: 's3', S3_BUCKET: 'b' }
    const asked = 'hosted calls can ask the machine for them too'
    expect(processRisk(config(bucket))?.warning).toContain(asked)
    const keys = { S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
    expect(processRisk(config({ ...bucket, ...keys }))?.warning ?? '').not.toContain(asked)
  })
})

describe('what the system says', () => {
  it.each([
    ['the whole machine', '         0          0 4294967295\n', true],
    ['a rootless container', '         0       1000          1\n         1     100000      65536\n', false],
    ['a container with enough ids', '0 100000 70000\n70000 200000 10000\n', true],
    ['a gap in the range', '0 0 70500\n70501 0 100000\n', false],
    ['nothing', '', false],
  ])('of ids in a container: %s', (_what, map, isThere) => {
    expect(isMapped(map, { first: 70_000, last: 79_999 })).toBe(isThere)
  })

  it.each([
    ['proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0', false],
    ['proc /proc proc rw,relatime,hidepid=0 0 0', false],
    ['proc /proc proc rw,relatime,hidepid=off 0 0', false],
    ['proc /proc proc rw,relatime,hidepid=2 0 0', true],
    ['proc /proc proc rw,relatime,hidepid=invisible 0 0', true],
    ['proc /proc proc rw 0 0\nproc /proc proc rw,hidepid=ptraceable 0 0', true],
  ])('of hidden processes: %j', (mounts, isThere) => {
    expect(isHidden(mounts)).toBe(isThere)
  })

  it.each([
    [99_999, false],
    [100_000, true],
    [165_535, true],
    [165_536, false],
    [200_000, true],
  ])('of ids that are lent to containers: %d', (id, isThere) => {
    expect(isInSubordinate('ada:100000:65536\nbob:200000:1\n\n', id)).toBe(isThere)
  })

  it.each([
    ['one that runs', 'State:\tS (sleeping)\nUid:\t70000\t70000\t70000\t70000\nThreads:\t1\n', [70_000]],
    ['one that has become another user', 'State:\tR (running)\nUid:\t70000\t0\t0\t0\nThreads:\t1\n', [70_000, 0]],
    ['a zombie', 'State:\tZ (zombie)\nUid:\t70000\t70000\t70000\t70000\nThreads:\t1\n', []],
    ['one whose first thread has ended', 'State:\tZ (zombie)\nUid:\t7\t7\t7\t7\nThreads:\t3\n', [7]],
    ['one that is gone', '', []],
  ])('of the uids of a process: %s', (_what, status, uids) => {
    expect([...uidsOf(status)]).toEqual(uids)
  })

  it.each([0, 1, 999, -1, Number.NaN])('never ends the processes of uid %d', async (uid) => {
    await expect(endAllOf({ uid, gid: uid })).rejects.toThrow('is not a uid of hosted calls')
  })
})
