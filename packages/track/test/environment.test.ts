/** What a run was made with: masked, bounded, without a secret; and what a machine's kernel counts. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gitState, keptDiff } from '../src/environment/git-state.ts'
import { maskedCommand } from '../src/environment/masked-command.ts'
import { ratesBetween } from '../src/sources/system-source.ts'
import { gpusIn } from '../src/system/gpu-readings.ts'
import { disksIn, networkIn } from '../src/system/machine-readings.ts'

const githubToken = `ghp_${'x1Y2'.repeat(9)}`

describe('a command line', () => {
  it.each([
    [
      ['--lr', '1e-4', '--tokenizer', 'a', '--max_tokens=5'],
      ['--lr', '1e-4', '--tokenizer', 'a', '--max_tokens=5'],
    ],
    [
      ['--api-key', 'abc', 'x'],
      ['--api-key', '***', 'x'],
    ],
    [
      ['--hub.token=abc', 'HF_TOKEN=abc', '--password='],
      ['--hub.token=***', 'HF_TOKEN=***', '--password='],
    ],
    [
      ['--use-auth', '--lr=1'],
      ['--use-auth', '--lr=1'],
    ],
    [
      ['https://ada:pw@example.com/x', 'a@b'],
      ['https://example.com/x', 'a@b'],
    ],
    [
      [`--header=Bearer ${githubToken}`, githubToken],
      ['--header=***', '***'],
    ],
    [
      ['AWS_SECRET_ACCESS_KEY=abc', '--secret-key', 'abc', '--private_key=abc', '--key', 'a', '--keys=2'],
      ['AWS_SECRET_ACCESS_KEY=***', '--secret-key', '***', '--private_key=***', '--key', 'a', '--keys=2'],
    ],
    [
      ['https://ada:p@w@example.com/x?a=b@c', 'https://h/x?step=1&access_token=abc&X-Amz-Signature=abc#top'],
      ['https://example.com/x?a=b@c', 'https://h/x?step=1&access_token=***&X-Amz-Signature=***#top'],
    ],
    [
      ['bash', '-c', 'export API_TOKEN=abc; python t.py --password "a b" --lr 1 --hub.token=\'abc\' && echo $X'],
      ['bash', '-c', 'export API_TOKEN=***; python t.py --password *** --lr 1 --hub.token=*** && echo $X'],
    ],
  ])('%j is shown as %j', async (words, shown) => {
    expect(await maskedCommand(words)).toEqual(shown)
  })
})

describe('the code', () => {
  let folder: string
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' }
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { env })
      .toString()
      .trim()

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hub-track-git-'))
    git('init', '-q', '-b', 'main')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is its commit, its remote without a password, and what differs', async () => {
    expect(await gitState(folder, env)).toBeNull()
    writeFileSync(join(folder, 'a.txt'), 'one\n')
    git('add', '.')
    git('commit', '-qm', 'first')
    git('remote', 'add', 'origin', 'https://ada:secret@example.com/a.git')
    const clean = { commit: git('rev-parse', 'HEAD'), branch: 'main', remote: 'https://example.com/a.git' }
    const nothing = { is_changed: false, untracked_files: 0, diff: null, diff_note: null }
    expect(await gitState(folder, env)).toEqual({ ...clean, ...nothing })
    writeFileSync(join(folder, 'a.txt'), 'two\n')
    writeFileSync(join(folder, 'b.txt'), 'new\n')
    const changed = await gitState(folder, env)
    expect(changed).toMatchObject({ ...clean, is_changed: true, untracked_files: 1, diff_note: null })
    expect(changed?.diff).toContain('-one\n+two\n')
  })

  it('is kept without a diff that holds a secret, and with the whole lines of a long one', async () => {
    expect(await keptDiff(`+a\n+token = "${githubToken}"\n`)).toEqual({
      diff: null,
      diff_note: 'left out: a secret is in line 2 of `git diff HEAD`',
    })
    const long = await keptDiff(`+${'ä'.repeat(50)}\n`.repeat(2000))
    expect(Buffer.byteLength(long.diff ?? '')).toBeLessThanOrEqual(96 * 1024)
    expect(long.diff?.endsWith('ä\n')).toBe(true)
    expect(long.diff_note).toMatch(/^only the first \d+ of 204000 bytes are kept$/)
  })
})

describe('the machine', () => {
  it('counts whole disks, and all networks but its own', () => {
    const disks = `   8 0 sda 1 0 10 0 2 0 20 0 0 0 0\n   8 1 sda1 1 0 99 0 2 0 99 0 0 0 0\n 259 0 nvme0n1 1 0 5 0 2 0 7 0 0 0 0\n   7 0 loop0 1 0 9 0 0 0 9 0`
    expect(disksIn(disks)).toEqual({ diskReadBytes: 15 * 512, diskWrittenBytes: 27 * 512 })
    expect(disksIn('')).toEqual({ diskReadBytes: null, diskWrittenBytes: null })
    const network = `Inter-|   Receive\n face |bytes\n    lo: 9 0 0 0 0 0 0 0 9 0\n  eth0: 100 1 0 0 0 0 0 0 50 1\n  eth1:1 0 0 0 0 0 0 0 2 0\n`
    expect(networkIn(network)).toEqual({ networkInBytes: 101, networkOutBytes: 52 })
  })

  it('has rates between two readings; a counter that was reset has none', () => {
    const before = {
      busy: 10,
      total: 100,
      diskReadBytes: 0,
      diskWrittenBytes: 5e6,
      networkInBytes: null,
      networkOutBytes: 0,
    }
    const after = {
      busy: 60,
      total: 200,
      diskReadBytes: 4e6,
      diskWrittenBytes: 0,
      networkInBytes: null,
      networkOutBytes: 1e6,
    }
    expect(ratesBetween(before, after, 2)).toEqual({
      cpu_percent: 50,
      disk_read_mb_s: 2,
      disk_write_mb_s: null,
      network_in_mb_s: null,
      network_out_mb_s: 0.5,
    })
  })

  it('has the GPUs that nvidia-smi tells of, without what it does not know', () => {
    expect(
      gpusIn('0, NVIDIA RTX A5000, 37, 1024, 24564, 55, 120.5\n1, Tesla T4, [N/A], 0, 15360, 30, [N/A]\n'),
    ).toEqual([
      {
        index: 0,
        name: 'NVIDIA RTX A5000',
        values: {
          utilization_percent: 37,
          memory_gb: 1.073741824,
          memory_percent: (1024 / 24564) * 100,
          temperature_c: 55,
          power_w: 120.5,
        },
      },
      { index: 1, name: 'Tesla T4', values: { memory_gb: 0, memory_percent: 0, temperature_c: 30 } },
    ])
  })
})
