/**
 * What a link to a repo says of it in a chat: facts that anyone may read, for the head of its pages. A repo that is not
 * public is the same as none.
 */
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { number, objectOf, orNull, text } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { MOST_BYTES, MOST_CARD_BYTES, pictureNames } from './repo-pictures.ts'

interface SharedResult {
  readonly task: string
  readonly robot: string
  readonly successes: number
  readonly seeds: number
}

const readResult = objectOf<SharedResult>({ task: text, robot: text, successes: number, seeds: number })

/** The motion of a seed that a result of a public model keeps, on the robot that the page is about. */
interface SharedMotion extends SharedResult {
  readonly model: string
  readonly seed: number
  /** Ids of the newest films of it; null without one. */
  readonly still: string | null
  readonly video: string | null
}

const readMotion = objectOf<SharedMotion>({
  ...{ task: text, robot: text, successes: number, seeds: number, model: text, seed: number },
  ...{ still: orNull(text), video: orNull(text) },
})

/** A model has at most 1000 results, which are read from the newest one until a robot is public. */
const newestResult = `case when r.kind = 'model' then (
    select json_build_object('task', x.task, 'robot', bo.handle || '/' || b.slug, 'successes', x.successes,
        'seeds', x.seeds)
      from rollouts x join repos b on b.id = any(array[x.robot_repo_id]) join accounts bo on bo.id = b.owner_id
      where x.model_repo_id = r.id and b.visibility = 'public' order by x.id desc limit 1) end`

const sharedColumns = columns({
  kind: column.enum('RepoKind', 'r.kind'),
  /** Its current names: it may be asked for by an earlier one. */
  owner: column.text('o.handle'),
  slug: column.text('r.slug'),
  description: column.text.orNull('r.description'),
  /** Of the header of its README.md. */
  prettyName: column.text.orNull("r.card_facts ->> 'prettyName'"),
  /** Of a data set; null for one without `meta/info.json`, and for other kinds. */
  episodeCount: column.int4.orNull('d.episode_count'),
  totalFrames: column.int8.orNull('d.total_frames'),
  fps: column.float8.orNull('d.fps'),
  robotType: column.text.orNull('d.robot_type'),
  /** Of a model. */
  policyType: column.text.orNull('m.policy_type'),
  robot: column.text.orNull('m.robot'),
  /** Of a model: its newest result on a public robot. */
  result: column.json.orNull(newestResult, readResult),
  /** The path of the file that stands for it; null without one. */
  picture: column.text.orNull('p.path'),
  /** The newest picture of the episode on a public robot; null without one. */
  still: column.text.orNull('e.id'),
  /** The newest video of the episode on a public robot; null without one. */
  video: column.text.orNull('v.id'),
  /** Of a robot: the kept motion that is asked for; null for any other, and that of a model that is not public. */
  motion: column.json.orNull('y.motion', readMotion),
})

/** A public repo in the head of a page. */
export type SharedRepo = RowOf<typeof sharedColumns>

/** Those that chat programs draw: they know fewer types than browsers. */
const DRAWN = String.raw`\.(png|jpe?g|webp|gif)$`

/** Of the files as they are now: a film of older ones would mislead. */
const newestFilm = (kind: 'still' | 'video', more = '') => `select s.id
      from episode_films s join repos b on b.id = any(array[s.robot_repo_id])
      where s.repo_id = r.id and s.episode = :episode and s.kind = '${kind}' and s.status = 'succeeded'
        and b.visibility = 'public' and s.seq = r.seq and s.robot_seq = b.seq${more} order by s.id desc limit 1`

/** A result names its versions: a film of its motion never misleads. */
const filmOfKept = (kind: 'still' | 'video', more = '') => `(select f.id from episode_films f
      where f.kept_id = k.id and f.kind = '${kind}' and f.status = 'succeeded'${more} order by f.id desc limit 1)`

const keptMotion = `select json_build_object('task', x.task, 'robot', o.handle || '/' || r.slug, 'successes', x.successes,
        'seeds', x.seeds, 'model', mo.handle || '/' || m.slug, 'seed', k.seed,
        'still', ${filmOfKept('still', ' and f.frame = coalesce(:frame, f.frame)')},
        'video', ${filmOfKept('video')}) as motion
      from rollouts x join repos m on m.id = x.model_repo_id and m.visibility = 'public'
        join accounts mo on mo.id = m.owner_id join rollout_episodes k on k.rollout_id = x.id and k.seed = :seed
      where x.id = :rolloutId and x.robot_repo_id = r.id limit 1`

/**
 * By its name, else by one that it had before it was moved: a repo that has the name now hides the old one, also if it
 * is private. Its picture is that of lists: the still of the card, else a file whose name says so.
 */
const sharedRepo = statement({
  name: 'repo-shared',
  exact: 'aggregate',
  columns: sharedColumns,
  params: {
    owner: param.text(),
    slug: param.text(),
    episode: param.int4.orNull(),
    frame: param.int4.orNull(),
    rolloutId: param.text.orNull(),
    seed: param.int4.orNull(),
    names: param.texts(),
    mostBytes: param.int8(),
    cardBytes: param.int4(),
  },
  text: `select ${sharedColumns.sql} from accounts a
    left join repos t on t.owner_id = a.id and t.slug = :slug
    left join repo_old_names n on n.owner_id = a.id and n.slug = :slug and t.id is null
    join repos r on r.id = coalesce(t.id, n.repo_id)
    join accounts o on o.id = r.owner_id
    left join dataset_meta d on d.repo_id = r.id and r.kind = 'dataset'
    left join model_meta m on m.repo_id = r.id and r.kind = 'model'
    left join lateral (
      select f.path from (
          select c.card #>> '{thumbnail_paths,light}' as path, 0 as place from robot_cards c
            where c.repo_id = r.id and c.card_bytes <= :cardBytes
          union all select name, place::int from unnest(:names::text[]) with ordinality as named(name, place)) w
        join files f on f.repo_id = r.id and f.path = w.path and f.to_seq is null
        join blobs b on b.id = f.blob_id and b.size <= :mostBytes
      where f.path ~* '${DRAWN}' order by w.place limit 1) p on true
    left join lateral (${newestFilm('still', ' and s.frame = coalesce(:frame, s.frame)')}) e on true
    left join lateral (${newestFilm('video')}) v on true
    left join lateral (${keptMotion}) y on true
    where a.handle = :owner and r.visibility = 'public'`,
})

/** An episode, or the seed that a result keeps, and the frame of it where one is asked for. */
export interface AskedFrame {
  readonly episode: number | null
  readonly frame: number | null
  readonly rolloutId: string | null
  readonly seed: number | null
}

/** What a page asks for that shows no episode. */
export const noFrame: AskedFrame = { episode: null, frame: null, rolloutId: null, seed: null }

/** The public repo that has or had this name, with films of what is asked for; null for any other. One statement. */
export async function findSharedRepo(
  querier: Querier,
  { owner, slug }: { readonly owner: string; readonly slug: string },
  asked: AskedFrame = noFrame,
): Promise<SharedRepo | null> {
  const limits = { names: pictureNames, mostBytes: MOST_BYTES, cardBytes: MOST_CARD_BYTES }
  const [found = null] = await querier.query(sharedRepo, { owner, slug, ...asked, ...limits })
  return found
}
