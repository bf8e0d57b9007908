/** What a film is asked for that is not there: refused by what the hub knows of the files. Contract, "Films of episodes". */
import { beforeAll, expect, it } from 'vitest'
import { type Json, type Person, places } from '../support/hub.ts'
import { filmHub } from './support/film-hub.ts'

const { hub, people, ask } = filmHub()
let ada: Person

beforeAll(() => {
  ;({ ada } = people())
})

it('a film is refused at once for an episode or a frame that is not there, as far as the hub knows', async () => {
  const [repo, unknown] = [await hub.repo(ada), await hub.repo(ada)]
  const count = (episodes: number, frames: number) =>
    hub.call(ada, 'PUT', `/v1/datasets/${repo}/meta`, { episode_count: episodes, total_frames: frames })
  const asked = async (body: Json) => {
    const answer = await ask(repo, body)
    return answer.status === 202 ? 202 : [answer.status, places(answer), answer.json.errors[0].detail]
  }
  const noFrame = (frame: number, last: number) => [
    ...[422, [['body', 'frame']]],
    `No episode of ${repo} has a frame ${frame}: ${last} is the last that one can have. Give a frame from 0 to ${last}.`,
  ]
  // Without counts a worker finds it out.
  expect(await asked({ episode: 7, frame: 1000 })).toBe(202)
  await count(3, 90)
  expect(await asked({ episode: 3 })).toEqual([
    ...[422, [['body', 'episode']]],
    `${repo} has no episode 3: its last one is 2. If it has more, push its meta/info.json first.`,
  ])
  // Two others have a frame at least.
  expect([await asked({ frame: 88 }), await asked({ frame: 87 })]).toEqual([noFrame(88, 87), 202])
  // A check of these files knows the longest.
  const reported = (counts: number[], seq: string, frames?: (number | null)[]) =>
    hub.sql(
      `insert into dataset_checks (repo_id, owner_id, status, cause, seq, report, report_seq, report_at)
        select id, owner_id, 'succeeded', 'person', seq, $2::json, ${seq}, now() from repos where slug = $1
        on conflict (repo_id) do update set report = excluded.report, report_seq = excluded.report_seq`,
      [repo.split('/')[1], JSON.stringify({ summary: { lengths: { lower: 20, upper: 40, counts }, frames } })],
    )
  await reported([2, 1], 'seq')
  expect([await asked({ frame: 40 }), await asked({ frame: 39 })]).toEqual([noFrame(40, 39), 202])
  // That of other files, or of two of the three episodes, says nothing.
  await reported([2, 1], 'seq + 1')
  expect(await asked({ frame: 41 })).toBe(202)
  // The length of the episode itself, and of one that was not read the longest.
  await reported([2, 1], 'seq', [25, null, 0])
  const ofOwn = (episode: number, frame: number, why: string) => [
    ...[422, [['body', 'frame']]],
    `Episode ${episode} of ${repo} has no frame ${frame}: ${why}`,
  ]
  expect([
    await asked({ frame: 25 }),
    await asked({ frame: 24 }),
    await asked({ episode: 1, frame: 40 }),
    await asked({ episode: 1, frame: 38 }),
    await asked({ episode: 2 }),
    await asked({ episode: 2, kind: 'video' }),
  ]).toEqual([
    ofOwn(0, 25, 'its last one is 24. Give a frame from 0 to 24.'),
    202,
    noFrame(40, 39),
    202,
    ofOwn(2, 0, 'it has none.'),
    ofOwn(2, 0, 'it has none.'),
  ])
  // Of other files again.
  await reported([2, 1], 'seq + 1', [25, null, 0])
  expect(await asked({ episode: 2, frame: 44 })).toBe(202)
  await reported([1, 1], 'seq')
  expect(await asked({ frame: 42 })).toBe(202)
  await count(1, 5)
  expect([await asked({ frame: 5 }), await asked({ frame: 4 })]).toEqual([noFrame(5, 4), 202])
  // Totals that cannot be so.
  await count(3, 0)
  expect(await asked({ frame: 43 })).toBe(202)
  await count(0, 0)
  expect(await asked({})).toEqual([
    ...[422, [['body', 'episode']]],
    `${repo} has no episode 0: it has none yet. If it has more, push its meta/info.json first.`,
  ])
  expect((await ask(unknown, { kind: 'video', episode: 7 })).status).toBe(202)
  await hub.sql(`delete from episode_films where status = 'queued'`)
})

it('a length of a report that is larger than any frame, or written as 1e2, refuses no frame before it', async () => {
  const repo = await hub.repo(ada)
  const reported = (frames: string) =>
    hub.sql(
      `insert into dataset_checks (repo_id, owner_id, status, cause, seq, report, report_seq, report_at)
        select id, owner_id, 'succeeded', 'person', seq, $2::json, seq, now() from repos where slug = $1
        on conflict (repo_id) do update set report = excluded.report`,
      [repo.split('/')[1], `{"summary":{"lengths":null,"frames":[${frames}]}}`],
    )
  await reported('9007199254740991')
  expect((await ask(repo, { frame: 7 })).status).toBe(202)
  await reported('1e2')
  expect([(await ask(repo, { frame: 99 })).status, (await ask(repo, { frame: 100 })).status]).toEqual([202, 422])
  await reported('25.0')
  expect([(await ask(repo, { frame: 24 })).status, (await ask(repo, { frame: 25 })).status]).toEqual([202, 422])
  await hub.sql(`delete from episode_films where status = 'queued'`)
})
