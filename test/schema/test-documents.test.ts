/** The documents in the tests are documents of the graph: a test that asks for a field that does not exist would only see that it is refused. */
import { join } from 'node:path'
import { declares } from '@hub/testing/tags'
import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  Kind,
  KnownArgumentNamesRule,
  KnownTypeNamesRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { documentsIn, type FoundDocument, foundDocuments, HOLE } from '../../scripts/codegen/test-texts.ts'

/** Wrong on purpose, each with what is wrong, or a path of a route that looks like a document. */
const onPurpose: Readonly<Record<string, readonly string[]>> = {
  'test/client/typed-client.test.ts': [
    'Cannot query field "x" on type "Mutation".',
    'Cannot query field "count" on type "Subscription".',
  ],
  'test/contract/edges.test.ts': [
    'Cannot query field "colour" on type "Repo". Did you mean "rollout"?',
    'Unknown argument "colour" on field "Query.repos".',
  ],
  'test/generated-requests/learn.ts': ['Cannot query field "owner" on type "Query".'],
  'test/http/graphql-limits.test.ts': [
    'Cannot query field "path" on type "Node".',
    'Unknown fragment "F".',
    'Unknown fragment "G".',
    'Cannot query field "edges" on type "Query". Did you mean "ledger" or "nodes"?',
    'Unknown argument "last" on field "Query.repos".',
    'Cannot query field "ALL" on type "RobotCard".',
    'Cannot query field "ALL" on type "RunConfig".',
    'Cannot query field "ALL" on type "RunCheckpoint".',
    'Cannot spread fragment "A" within itself via "B".',
    'Cannot query field "a" on type "Query".',
  ],
  'test/support/huge-operations.ts': [
    'Maximum introspection depth exceeded',
    'Cannot spread fragment "A" within itself via "B".',
  ],
}

const root = join(import.meta.dirname, '../..')

/** What is left out of a document with holes may be in them. */
const rulesWithHoles = [FieldsOnCorrectTypeRule, KnownArgumentNamesRule, KnownTypeNamesRule]

const faultsIn = (document: DocumentNode, isWhole: boolean) =>
  validate(schema, document, isWhole ? specifiedRules : rulesWithHoles)
    .map(({ message }) => message)
    .filter((message) => !message.includes(HOLE))

interface Composite {
  readonly name: string
  readonly fields: ReadonlySet<string>
}

const composites: readonly Composite[] = Object.values(schema.getTypeMap()).flatMap((type) =>
  'getFields' in type && !('isOneOf' in type)
    ? { name: type.name, fields: new Set(['__typename', ...Object.keys(type.getFields())]) }
    : [],
)

/** A selection that a test puts into its documents: some type has it. */
function isSelection({ document: { definitions }, text, isWhole }: FoundDocument): boolean {
  const [first] = definitions
  if (!text.trimStart().startsWith('{') || definitions.length !== 1) return false
  if (first?.kind !== Kind.OPERATION_DEFINITION) return false
  // Most types lack one of its fields: each fault of a validation costs a search for suggestions.
  const names = first.selectionSet.selections.flatMap((each) => (each.kind === Kind.FIELD ? each.name.value : []))
  const hasThem = ({ fields }: Composite) => names.every((name) => name.includes(HOLE) || fields.has(name))
  return composites.filter(hasThem).some(({ name }) => {
    const faults = faultsIn(parse(`fragment Part on ${name} ${text}`), isWhole)
    return faults.every((message) => message === 'Fragment "Part" is never used.')
  })
}

const hasOwnGraph = (file: string) => declares(join(root, file), 'own-graph')

/** The first fault of each document, with its file and line. */
const faultsOf = (documents: readonly FoundDocument[]) =>
  documents.flatMap((found) => {
    const [fault] = faultsIn(found.document, found.isWhole)
    return fault === undefined || isSelection(found) ? [] : [{ file: found.file, line: found.line, fault }]
  })

describe('the documents in the tests', () => {
  const found = foundDocuments()
  const faults = faultsOf(found)

  it('are documents of the graph', () => {
    expect(found.length).toBeGreaterThan(400)
    const unexpected = faults.filter(({ file, fault }) => !hasOwnGraph(file) && !onPurpose[file]?.includes(fault))
    expect(unexpected.map(({ file, line, fault }) => `${file}:${line} ${fault}`)).toEqual([])
  })

  it('are wrong on purpose where the lists say so', () => {
    const wrong = new Set(faults.map(({ file }) => file))
    expect([...new Set(found.map(({ file }) => file))].filter((file) => hasOwnGraph(file) && !wrong.has(file))).toEqual(
      [],
    )
    const told = new Set(faults.map(({ file, fault }) => `${file} ${fault}`))
    const listed = Object.entries(onPurpose).flatMap(([file, each]) => each.map((fault) => `${file} ${fault}`))
    expect(listed.filter((each) => !told.has(each))).toEqual([])
  })

  it.each([
    ['a field', "graphql(ada, '{ viewer { id } }')", 'Cannot query field "id" on type "Viewer".'],
    [
      'a root field',
      "graphql(ada, '{ viewr { kind } }')",
      'Cannot query field "viewr" on type "Query". Did you mean "viewer"?',
    ],
    [
      'a field beside what is put in',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a test
      'graphql(ada, `{ repo(owner: "${owner}", slug: "x") { ${fields} fulName } }`)',
      'Cannot query field "fulName" on type "Repo". Did you mean "fullName" or "hfName"?',
    ],
    [
      'a selection with a name',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a test
      "const page = '{ nodes { idd } }'\ngraphql(ada, `{ repos ${page} }`)",
      'Cannot query field "idd" on type "Repo". Did you mean "id" or "kind"?',
    ],
    ['an argument', "graphql(ada, 'query Q($n: Int) { repos(frst: $n) { nodes { id } } }')", /Unknown argument "frst"/],
  ])('would tell %s that does not exist', (_what, source, fault) => {
    const [told] = faultsOf(documentsIn('a.test.ts', source)).toReversed()
    expect(told?.file).toBe('a.test.ts')
    expect(told?.fault).toMatch(fault)
  })
})
