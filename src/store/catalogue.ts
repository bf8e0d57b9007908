/** What PostgreSQL has of the schema `public`, as text that two databases can be compared by. */
import type pg from 'pg'

/** The catalogue of a database: a line for each thing that it has, sorted by bytes. */
export type Catalogue = readonly string[]

/**
 * How the functions of PostgreSQL that write definitions write them; a database, a user or an address may have set
 * these otherwise.
 */
const SETTINGS = `set local search_path = public, pg_catalog; set local quote_all_identifiers = off;
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres'; set local timezone = 'UTC'; set local bytea_output = 'hex';
    set local extra_float_digits = 1; set local standard_conforming_strings = on`

/**
 * One line for each table, column, order of columns, constraint, index, sequence, type, function, trigger, rule,
 * policy, view, statistics object, comment, extension that an index uses, and anything else of the schema. Left out:
 * what an extension made, Prisma's own table, and what is the operator's and not the schema's: owners, grants,
 * tablespaces, publications, versions of extensions. PostgreSQL 15 and 18 write the same lines: that 18 has a
 * constraint for each NOT NULL is said by the column.
 */
const CATALOGUE = `with ours as (
    select 'pg_class'::regclass as classid, c.oid, c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace
    union all select 'pg_proc'::regclass, p.oid, p.oid::regprocedure::text from pg_proc p
      where p.pronamespace = 'public'::regnamespace
    union all select 'pg_type'::regclass, t.oid, t.typname from pg_type t
      where t.typnamespace = 'public'::regnamespace),
  own as (
    select o.classid, o.oid, o.name from ours o
    where not exists (select from pg_depend d where d.classid = o.classid and d.objid = o.oid and d.deptype = 'e')),
  relation as (
    select c.*, o.name from own o join pg_class c on c.oid = o.oid where o.classid = 'pg_class'::regclass
      and c.oid is distinct from to_regclass('_prisma_migrations')
      and not exists (select from pg_index i where i.indexrelid = c.oid
      and i.indrelid = to_regclass('_prisma_migrations'))),
  lines as (
    select format('relation %s: kind=%s persistence=%s row_security=%s/%s replica_identity=%s partition=%s options=%s',
      c.name, c.relkind, c.relpersistence,
        c.relrowsecurity, c.relforcerowsecurity, c.relreplident,
          concat(pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid)), c.reloptions) as line
      from relation c where c.relkind not in ('i', 'I')
    union all select format('inheritance %s of %s', c.name, i.inhparent::regclass)
      from relation c join pg_inherits i on i.inhrelid = c.oid
    union all select format('column %s.%s: %s%s%s%s%s%s', c.name, a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation end,
        case when a.attnotnull then ' not null' end,
        case when a.attgenerated <> '' then ' generated ' || a.attgenerated::text when a.attidentity <> ''
          then ' identity ' || a.attidentity::text end,
        ' default ' || pg_get_expr(d.adbin, d.adrelid),
        case when a.attstorage <> t.typstorage or a.attcompression <> '' or a.attoptions is not null
          or coalesce(a.attstattarget, -1) <> -1
          then format(' stored %s %s %s %s', a.attstorage, a.attcompression, a.attoptions, a.attstattarget) end)
      from relation c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relkind in ('r', 'p', 'v', 'm', 'f', 'c')
    union all select format('columns of %s: %s', c.name, string_agg(a.attname, ', ' order by a.attnum))
      from relation c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relkind <> all (array['i', 'I', 'S']::"char"[])
      group by c.name
    union all select format('constraint %s of %s: %s', k.conname, c.name, pg_get_constraintdef(k.oid))
      from relation c join pg_constraint k on k.conrelid = c.oid where k.contype <> 'n'
    union all select format('index %s: %s%s%s', c.name, pg_get_indexdef(c.oid), case
      when not (i.indisvalid and i.indisready and i.indislive) then ' (not valid)' end,
        case when i.indisclustered then ' (clustered)' end)
      from relation c join pg_index i on i.indexrelid = c.oid
    union all select format('sequence %s: %s from %s by %s, %s to %s, cache %s, cycle %s, owned by %s', c.name,
      format_type(s.seqtypid, null), s.seqstart,
        s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle,
        (select string_agg(d.refobjid::regclass || '.' || a.attname, ', ') from pg_depend d
          join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
           and d.refclassid = 'pg_class'::regclass))
      from relation c join pg_sequence s on s.seqrelid = c.oid
    union all select format('view %s: %s', c.name, pg_get_viewdef(c.oid)) from relation c where c.relkind in ('v', 'm')
    union all select format('trigger %s of %s: %s enabled=%s', g.tgname, c.name, pg_get_triggerdef(g.oid), g.tgenabled)
      from relation c join pg_trigger g on g.tgrelid = c.oid where not g.tgisinternal
    union all select format('rule %s of %s: %s enabled=%s', r.rulename, c.name, pg_get_ruledef(r.oid), r.ev_enabled)
      from relation c join pg_rewrite r on r.ev_class = c.oid where r.rulename <> '_RETURN'
    union all select format('policy %s of %s: %s permissive=%s roles=%s using %s check %s', y.polname, c.name, y.polcmd,
      y.polpermissive,
        (select string_agg(coalesce(pg_roles.rolname, 'public'), ', ' order by 1) from unnest(y.polroles) role left
          join pg_roles on pg_roles.oid = role),
        pg_get_expr(y.polqual, y.polrelid), pg_get_expr(y.polwithcheck, y.polrelid))
      from relation c join pg_policy y on y.polrelid = c.oid
    union all select format('statistics %s of %s: %s', s.stxname, c.name, pg_get_statisticsobjdef(s.oid))
      from relation c join pg_statistic_ext s on s.stxrelid = c.oid
    union all select format('enum %s: %s', o.name,
      (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e
      where e.enumtypid = t.oid))
      from own o join pg_type t on t.oid = o.oid where o.classid = 'pg_type'::regclass and t.typtype = 'e'
    union all select format('domain %s: %s%s%s%s%s', o.name, format_type(t.typbasetype, t.typtypmod), case
      when t.typnotnull then ' not null' end,
        ' default ' || t.typdefault, case when t.typcollation <> 0 then ' collate ' || t.typcollation::regcollation end,
        (select string_agg(format(' constraint %s %s', k.conname, pg_get_constraintdef(k.oid)), '' order by k.conname)
          from pg_constraint k
         where k.contypid = t.oid and k.contype <> 'n'))
      from own o join pg_type t on t.oid = o.oid where o.classid = 'pg_type'::regclass and t.typtype = 'd'
    union all select format('type %s: kind=%s', o.name, t.typtype)
      from own o join pg_type t on t.oid = o.oid where o.classid = 'pg_type'::regclass
        and (t.typtype in ('r', 'p') or (t.typtype = 'b' and t.typelem = 0))
    union all select format('function %s: %s', o.name, case when p.prokind in ('f', 'p') then pg_get_functiondef(p.oid)
      else 'kind=' || p.prokind::text end)
      from own o join pg_proc p on p.oid = o.oid where o.classid = 'pg_proc'::regclass
    union all select format('%s %s', found.type, found.identity)
      from pg_depend d cross join lateral pg_identify_object(d.classid, d.objid, 0) found
      where d.refclassid = 'pg_namespace'::regclass and d.refobjid = 'public'::regnamespace and d.deptype = 'n'
        and d.classid not in ('pg_class'::regclass, 'pg_type'::regclass, 'pg_proc'::regclass,
        'pg_statistic_ext'::regclass, 'pg_extension'::regclass)
        and not exists (select from pg_depend e where e.classid = d.classid and e.objid = d.objid and e.deptype = 'e')
    union all select format('comment on %s %s: %s', found.type, found.identity, t.description)
      from pg_description t cross join lateral pg_identify_object(t.classoid, t.objoid, t.objsubid) found
      where (t.classoid, t.objoid) in (
        select classid, oid from own
        union all select 'pg_constraint'::regclass, k.oid from pg_constraint k join relation c on c.oid = k.conrelid
        union all select 'pg_trigger'::regclass, g.oid from pg_trigger g join relation c on c.oid = g.tgrelid)
    union all select distinct format('extension %s in %s', e.extname, e.extnamespace::regnamespace)
      from relation c join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid
      join pg_depend m on m.classid = d.refclassid and m.objid = d.refobjid and m.deptype = 'e'
        and m.refclassid = 'pg_extension'::regclass
      join pg_extension e on e.oid = m.refobjid)
  select replace(replace(line, '\\', '\\\\'), e'\\n', '\\n') as line from lines order by line collate "C"`

/** Reads it in the transaction that `client` has open: settings of that transaction change, and nothing else does. */
export async function readCatalogue(client: Pick<pg.ClientBase, 'query'>): Promise<Catalogue> {
  await client.query(SETTINGS)
  const { rows } = await client.query<{ line: string }>(CATALOGUE)
  return rows.map(({ line }) => line)
}

/** What a line is about: `column runs.note`. */
const subjectOf = (line: string) => line.split(': ', 1)[0] ?? line

/**
 * How the catalogue of a database differs from the one that it should have, as the end of a sentence: the first
 * difference and how many more there are; null if they are equal.
 */
export function differenceOf(expected: Catalogue, found: Catalogue): string | null {
  const [should, has] = [new Set(expected), new Set(found)]
  const lacking = new Set(expected.filter((line) => !has.has(line)).map(subjectOf))
  const added = new Set(found.filter((line) => !should.has(line)).map(subjectOf))
  const subjects = [...new Set([...lacking, ...added])].sort()
  // The lines of a table that is not there are many; the table says it all.
  const first = subjects.find((subject) => subject.startsWith('relation ')) ?? subjects[0]
  if (first === undefined) return null
  const isChanged = lacking.has(first) && added.has(first)
  const fault = isChanged ? `${first} is another` : `${first} is ${lacking.has(first) ? 'missing' : 'unexpected'}`
  return subjects.length === 1 ? fault : `${fault} (and ${subjects.length - 1} more)`
}
