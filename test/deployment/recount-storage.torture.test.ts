/** Sums of storage that are counted again: what differs is found, told and mended, beside any uploads. */
import { setImmediate as yielded } from 'node:timers/promises'
import { newId } from '@hub/formats/ids'
import { beforeEach, describe, expect, it } from 'vitest'
import { recountStorage, type WrongSum } from '../../src/deployment/recount-storage.ts'
import { deleteFiles } from '../../src/files/delete-files.ts'
import { presignUpload } from '../../src/files/presign-upload.ts'
import { createSnapshot } from '../../src/files/versions/snapshots.ts'
import type { AccountRef } from '../../src/operation/context.ts'
import { reportRun } from '../../src/runs/report/report-run.ts'
import { versionWorld } from '../files/support/version-world.ts'
import { runHub } from '../support/command-line.ts'
import { putRun } from '../support/runs.ts'
import { sha256Of, type WorldRepo } from '../support/world.ts'

const t = versionWorld()
const secret = 'a secret of more than thirty-two characters'
let owner: AccountRef
let repo: WorldRepo
let name: string
beforeEach(async () => {
  owner = await t.world.user()
  repo = await t.world.repo(owner)
  name = `${owner.handle}/${repo.repo}`
})

const as = () => t.world.as(owner)
const put = (path: string, bytes: string) => t.world.upload(as(), repo, path, t.text(bytes))

async function recount(isDry = false, ownerIds: readonly string[] | null = [owner.id]): Promise<WrongSum[]> {
  const wrong: WrongSum[] = []
  await recountStorage(t.database.db, { ownerIds, isDry, onWrong: (more) => wrong.push(...more) })
  return wrong
}

const kept = async () => [
  ...(await t.world.sql<object>(
    `select file_count, verified_count, total_bytes, snapshot_bytes, film_bytes from repos where id = $1`,
    [repo.id],
  )),
  ...(await t.world.sql<object>('select storage_bytes, reserved_bytes, pending_uploads from accounts where id = $1', [
    owner.id,
  ])),
]

/** Something of each part of a sum: 7 live bytes, 5 of a snapshot, 11 of a film beside one whose worker is lost, 13 of a run, 17 reserved ones. */
async function fill(): Promise<void> {
  await put('a.txt', 'first')
  await createSnapshot(as(), { ...repo, name: 'kept' })
  await put('a.txt', 'seventh')
  await presignUpload(as(), { ...repo, files: [{ path: 'b.txt', size: 17, sha256: sha256Of(t.text('b')) }] })
  await t.world.sql(
    `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame,
       status, size, sha256, storage_key, store_upload_id)
     select $1 || n, $2, $3, 1, $2, 1, 0, 'video', n, 0, status, 11, repeat('a', 64), $1 || n, 'sent'
     from (values (1, 'succeeded'::"JobStatus"), (2, 'queued')) film (n, status)`,
    [newId('film').slice(0, -1), repo.id, owner.id],
  )
  await putRun(t.database.db, { ownerId: owner.id, set: { stored_bytes: 13 } })
  await t.world.sql('update repos set film_bytes = 11 where id = $1', [repo.id])
  await t.world.sql('update accounts set storage_bytes = storage_bytes + 24 where id = $1', [owner.id])
}

const right = [
  { file_count: 1, verified_count: 1, total_bytes: 7, snapshot_bytes: 5, film_bytes: 11 },
  { storage_bytes: 36, reserved_bytes: 17, pending_uploads: 1 },
]

describe('a recount', () => {
  it('finds nothing where every sum is what its parts come to, bytes that a run counted ahead among them', async () => {
    await fill()
    expect(await kept()).toEqual(right)
    await t.world.sql('insert into storage_spares (owner_id, run_id, bytes) values ($1, $2, 1000)', [
      owner.id,
      newId('run'),
    ])
    await t.world.sql('update accounts set storage_bytes = storage_bytes + 1000 where id = $1', [owner.id])
    expect(await recount()).toEqual([])
    expect(await recount(false, null)).toEqual([])
    expect((await kept())[1]).toMatchObject({ storage_bytes: 1036 })
  })

  it('mends each sum to the byte, says what it was, and writes it into the audit log; a dry one changes nothing', async () => {
    await fill()
    await t.world.sql(
      `update repos set file_count = 4, verified_count = 3, total_bytes = 2, snapshot_bytes = 1, film_bytes = 90 where id = $1`,
      [repo.id],
    )
    await t.world.sql('update accounts set storage_bytes = 3, reserved_bytes = 40, pending_uploads = 3 where id = $1', [
      owner.id,
    ])
    const wrong = [
      { name, sum: 'files', kept: 4, found: 1 },
      { name, sum: 'verified', kept: 3, found: 1 },
      { name, sum: 'liveBytes', kept: 2, found: 7 },
      { name, sum: 'snapshotBytes', kept: 1, found: 5 },
      { name, sum: 'filmBytes', kept: 90, found: 11 },
      { name: owner.handle, sum: 'storageBytes', kept: 3, found: 36 },
      { name: owner.handle, sum: 'reservedBytes', kept: 40, found: 17 },
      { name: owner.handle, sum: 'pendingUploads', kept: 3, found: 1 },
    ]
    const damaged = await kept()
    expect(await recount(true)).toEqual(wrong)
    expect(await kept()).toEqual(damaged)
    expect(await recount()).toEqual(wrong)
    expect(await kept()).toEqual(right)
    expect(await recount()).toEqual([])
    const told = await t.world.sql<object>(
      `select target_id, before, after from audit_log where action = 'storage.recount' and account_id = $1 order by target_id`,
      [owner.id],
    )
    expect(told).toEqual([
      {
        target_id: repo.id,
        before: { files: 4, verified: 3, liveBytes: 2, snapshotBytes: 1, filmBytes: 90 },
        after: { files: 1, verified: 1, liveBytes: 7, snapshotBytes: 5, filmBytes: 11 },
      },
      {
        target_id: owner.id,
        before: { storageBytes: 3, reservedBytes: 40, pendingUploads: 3 },
        after: { storageBytes: 36, reservedBytes: 17, pendingUploads: 1 },
      },
    ])
  })

  it('mends a repo whose account was right, and an account whose repos were', async () => {
    await fill()
    await t.world.sql('update repos set total_bytes = 70 where id = $1', [repo.id])
    expect(await recount()).toEqual([{ name, sum: 'liveBytes', kept: 70, found: 7 }])
    await t.world.sql('update accounts set storage_bytes = 0 where id = $1', [owner.id])
    expect(await recount()).toEqual([{ name: owner.handle, sum: 'storageBytes', kept: 0, found: 36 }])
    expect(await kept()).toEqual(right)
  })

  it('of one account leaves those of others, and one of all finds them, in batches of a hundred', async () => {
    const others = await Promise.all(Array.from({ length: 120 }, () => t.world.user()))
    const last = others.at(-1)
    await t.world.sql('update accounts set storage_bytes = 5 where id = any($1)', [[others[0]?.id, last?.id]])
    expect(await recount()).toEqual([])
    const found = (await recount(false, null)).map((one) => [one.name, one.kept, one.found])
    expect(found.toSorted()).toEqual([others[0], last].map((one) => [one?.handle, 5, 0]).toSorted())
  })

  it('beside uploads, deletions and reports finds no sum wrong that is right, and mends one that is not', async () => {
    await fill()
    const runId = await putRun(t.database.db, { ownerId: owner.id, status: 'running', claimCredential: 'key_runner' })
    await t.world.sql('update repos set total_bytes = total_bytes + 100 where id = $1', [repo.id])
    await t.world.sql('update accounts set storage_bytes = storage_bytes + 1000 where id = $1', [owner.id])
    let isDone = false
    const write = async (writer: number) => {
      for (let at = 0; at < 8; at += 1) {
        await put(`w${writer}/${at}.txt`, `${writer} ${at}`)
        if (at % 3 === 2) await deleteFiles(as(), { ...repo, paths: [`w${writer}/${at - 1}.txt`] })
      }
    }
    const report = async () => {
      for (let at = 0; at < 20; at += 1)
        await reportRun(t.world.as(owner, { kind: 'key', credentialId: 'key_runner' }), { runId, logChunk: `${at}\n` })
    }
    const found: WrongSum[] = []
    const counting = (async () => {
      while (!isDone) {
        found.push(...(await recount()))
        await yielded()
      }
    })()
    await Promise.all([write(0), write(1), write(2), report()])
    isDone = true
    await counting
    expect(found.map(({ name: of, sum, kept: was, found: is }) => [of, sum, was - is])).toEqual([
      [name, 'liveBytes', 100],
      [owner.handle, 'storageBytes', 1000],
    ])
    expect(await recount()).toEqual([])
  })
})

describe('hub storage recount', () => {
  const run = (...args: string[]) =>
    runHub(['storage', 'recount', ...args], { DATABASE_URL: t.database.url, HUB_SECRET: secret })

  it('prints what differed, in lines or as JSON, and ends a dry run that found something with 1', async () => {
    await fill()
    await t.world.sql('update repos set total_bytes = 2 where id = $1', [repo.id])
    const dry = await run(owner.handle, '--dry-run')
    expect([dry.code, dry.err]).toEqual([1, ''])
    expect(dry.out).toMatch(new RegExp(`^${name} +bytes of files +is 2, should be 7\n$`))
    const mended = await run(owner.handle, owner.handle, '--json')
    expect([mended.code, JSON.parse(mended.out)]).toEqual([
      0,
      { mended: true, items: [{ name, sum: 'liveBytes', kept: 2, found: 7 }] },
    ])
    const again = await run(owner.handle)
    expect([again.code, again.out]).toEqual([0, 'Every sum is what its parts come to.\n'])
  })

  it('names a handle that is nobody’s, and counts nothing then', async () => {
    await t.world.sql('update accounts set storage_bytes = 9 where id = $1', [owner.id])
    const ended = await run(owner.handle, 'nobody-at-all')
    expect(ended.code).not.toBe(0)
    expect(ended.err).toContain('nobody-at-all')
    expect((await kept())[1]).toMatchObject({ storage_bytes: 9 })
  })
})
