/** The statements of what fits which robot: rows of pairs of repos, and the bodies of both sides. */
import type { JointMap } from '@hub/embodiment/joint-map'
import { repoViewer, repoVisibleSql } from '../auth/policy.ts'
import { readBody } from '../repos/bodies/compare-bodies.ts'
import { repoNamed } from '../repos/named-repo.ts'
import { bytesBefore, isLeftOut, unlessLeftOut } from '../store/bounded-read.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/** The current map from one repo to another, as a lateral subquery. */
const currentMap = (from: string, to: string) => `(select m.version, m.map, m.reviewed_at from joint_maps m
  where m.from_repo_id = ${from} and m.to_repo_id = ${to} order by m.version desc limit 1)`

const mapColumns = {
  ...isLeftOut,
  mapVersion: column.int4.orNull('m.version'),
  map: column.document.orNull<JointMap>(unlessLeftOut('m.map')),
  mapReviewedAt: column.timestamptz.orNull('m.reviewed_at'),
}

/** A page ends early after the pair whose map and body take it past this, as a page of jobs does. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024

const listed = columns({
  parentId: column.text('k.parent_id'),
  parentIsRobot: column.bool('k.is_robot'),
  parentFingerprint: column.text('k.parent_fingerprint'),
  parentName: column.text("po.handle || '/' || p.slug"),
  repoId: column.text('k.repo_id'),
  kind: column.enum('RepoKind', 'r.kind'),
  name: column.text("ro.handle || '/' || r.slug"),
  fingerprint: column.text('k.fingerprint'),
  place: column.int4('k.place'),
  /** How many the page would have without the limit of its bytes. */
  found: column.int4('k.found'),
  ...mapColumns,
})

export type ListedFit = RowOf<typeof listed>

/** Where a row stands in a list: those with a kept map first, then by verdict. */
const placeOf = `case f.verdict when 'as_is' then 1 when 'mapped' then 2 else 3 end`

/** Whether the caller sees the other repo `r`, and its body is that of its files now. */
const usable = `${repoVisibleSql('r')} and not r.body_pending and (:kind::"RepoKind" is null or r.kind = :kind)`

/** The repos of a body, of one kind: an index has the public ones, another those of each owner. */
const reposOf = (kinds: string, body: string, and: string) => {
  const half = (which: string) => `(select b.repo_id from repo_bodies b join repos r on r.id = b.repo_id
      where ${which} and b.kind = one.kind and b.fingerprint = ${body} and ${usable} and ${and}
      order by b.repo_id limit :limit::bigint)`
  return `select s.repo_id from unnest(${kinds}::"RepoKind"[]) one (kind) cross join lateral (
      ${half('b.is_public')} union all ${half('not b.is_public and b.owner_id = any(:accountIds::text[])')}) s
    where :kind::"RepoKind" is null or one.kind = :kind order by s.repo_id limit :limit::bigint`
}

/** Half of a list: of robots, or of what may run on them. Each branch stops at its limit, in the order of an index. */
const half = (isRobot: boolean) => {
  const [mine, other] = isRobot ? ['to', 'from'] : ['from', 'to']
  const [myPrint, otherPrint] = isRobot ? ['robot', 'source'] : ['source', 'robot']
  const kinds = isRobot ? "'{dataset,model}'" : "'{robot}'"
  const after = `b.repo_id > case when (f.verdict, f.${otherPrint}_fingerprint) = (:verdict::"FitVerdict", :print::text)
      then :after::text else '' end
    and not exists (select 1 from joint_maps m
      where m.${mine}_repo_id = mine.repo_id and m.${other}_repo_id = b.repo_id)`
  return `(select 0 as place, b.fingerprint, b.repo_id from joint_maps m
      join repos r on r.id = m.${other}_repo_id join repo_bodies b on b.repo_id = r.id
      where ${isRobot ? '' : 'not '}mine.is_robot and not :near::bool and m.${mine}_repo_id = mine.repo_id
        and m.version = (select max(n.version) from joint_maps n
          where n.from_repo_id = m.from_repo_id and n.to_repo_id = m.to_repo_id)
        and b.is_robot = ${!isRobot} and b.fingerprint is not null and :place::int = 0
        and m.${other}_repo_id > :keptAfter::text and ${usable}
      order by m.${other}_repo_id limit :limit::bigint)
    union all
    (select ${placeOf}, f.${otherPrint}_fingerprint, b.repo_id from body_fits f cross join lateral (
        ${reposOf(kinds, `f.${otherPrint}_fingerprint`, after)}) b
      where ${isRobot ? '' : 'not '}mine.is_robot and f.${myPrint}_fingerprint = mine.fingerprint
        and (f.verdict, f.${otherPrint}_fingerprint) >= (:verdict::"FitVerdict", :print::text)
        and (f.verdict = 'none') = :near::bool
      order by f.verdict, f.${otherPrint}_fingerprint, b.repo_id limit :limit::bigint)`
}

const bySide = (ofRobot: string, ofOther: string) => `case when k.is_robot then ${ofRobot}.id else ${ofOther}.id end`

const fromSide = 'case when mine.is_robot then one.repo_id else mine.repo_id end'
const toSide = 'case when mine.is_robot then mine.repo_id else one.repo_id end'

/** The order of a page. */
const order = 'place, case when place > 0 then fingerprint end, repo_id'

/**
 * A page for each of these repos, of which the caller sees all. Repos are joined by lists of one, which leave
 * PostgreSQL a look-up for each row and no hash of all.
 */
export const fitsPage = statement({
  name: 'fits-page',
  exact: 'per-parent',
  columns: listed,
  params: {
    ...repoViewer,
    ids: param.texts(),
    kind: param.enum.orNull('RepoKind'),
    /** Only those that do not fit, or all others. */
    near: param.bool(),
    place: param.int4(),
    keptAfter: param.text(),
    verdict: param.enum('FitVerdict'),
    print: param.text(),
    after: param.text(),
    limit: param.int8(),
  },
  text: `select ${listed.sql} from (
      select whole.*, ${bytesBefore('bytes', `parent_id, ${order}`)}
      from (select mine.repo_id as parent_id, mine.is_robot, said.fingerprint as parent_fingerprint, x.*
        from repo_bodies mine join repos p on p.id = mine.repo_id and not p.body_pending
        join bodies said on said.is_robot = mine.is_robot and said.fingerprint = mine.fingerprint
        cross join lateral (select place, fingerprint, repo_id, bytes, found
          from (select weighed.*, count(*) over ()::int as found, ${bytesBefore('bytes', order)}
            from (select one.*, coalesce((select octet_length(b.body::text) from bodies b
                  where b.is_robot = not mine.is_robot and b.fingerprint = one.fingerprint), 0)
                + coalesce((select octet_length(c.map::text) from ${currentMap(fromSide, toSide)} c), 0) as bytes
              from (select * from (${half(true)} union all ${half(false)}) both_halves
                order by ${order} limit :limit::bigint) one) weighed) of_page
          where before is null or before < ${MAX_PAGE_BYTES}) x
        where mine.repo_id = any(:ids::text[])) whole) k
    cross join lateral (select k.before) sized
    join repos p on p.id = any(array[k.parent_id]) join accounts po on po.id = any(array[p.owner_id])
    join repos r on r.id = any(array[k.repo_id]) join accounts ro on ro.id = any(array[r.owner_id])
    left join lateral ${currentMap(bySide('r', 'p'), bySide('p', 'r'))} m on true
    order by k.parent_id, k.place, case when k.place > 0 then k.fingerprint end, k.repo_id`,
})

const robotId = repoNamed('lower(:robot::text)', 'robot')

const pair = columns({
  parentId: column.text('p.id'),
  parentFingerprint: column.text('theirs.fingerprint'),
  parentName: column.text("po.handle || '/' || p.slug"),
  repoId: column.text('r.id'),
  name: column.text("ro.handle || '/' || r.slug"),
  fingerprint: column.text('ours.fingerprint'),
  ...mapColumns,
})

/** Each of these repos, of which the caller sees all, beside one robot; maps as far as they stay small together. */
export const fitsOnRobot = statement({
  name: 'fits-on-robot',
  exact: 'per-parent',
  columns: pair,
  params: { ...repoViewer, ids: param.texts(), robot: param.text() },
  text: `select ${pair.sql} from repos r join accounts ro on ro.id = r.owner_id
    join repo_bodies b on b.repo_id = r.id and b.is_robot
    join repo_bodies s on s.repo_id = any(:ids::text[]) and not s.is_robot
    join repos p on p.id = s.repo_id join accounts po on po.id = p.owner_id
    join bodies ours on ours.is_robot and ours.fingerprint = b.fingerprint
    join bodies theirs on not theirs.is_robot and theirs.fingerprint = s.fingerprint
    left join lateral ${currentMap('p.id', 'r.id')} m on true
    left join (select asked.id, ${bytesBefore('octet_length(c.map::text)', 'asked.id')}
      from unnest(:ids::text[]) asked(id) cross join lateral ${currentMap('asked.id', robotId)} c) sized
      on sized.id = p.id
    where r.id = ${robotId} and ${repoVisibleSql('r')}
      and not r.body_pending and not p.body_pending`,
})

const bodyColumns = columns({
  isRobot: column.bool('b.is_robot'),
  fingerprint: column.text('b.fingerprint'),
  body: column.json('b.body', readBody),
})

/** The bodies of both sides, each once. */
export const bodiesOfFits = statement({
  name: 'bodies-of-fits',
  exact: 'client-json',
  columns: bodyColumns,
  params: { robots: param.texts(), sources: param.texts() },
  text: `select ${bodyColumns.sql} from bodies b where (b.is_robot and b.fingerprint = any(:robots::text[]))
    or (not b.is_robot and b.fingerprint = any(:sources::text[]))`,
})
