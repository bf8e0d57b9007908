/**
 * The XML parser against MuJoCo's on corrupted documents: same verdict, and where a document is read the same names.
 * Other documents each run; HUB_TEST_SEED repeats one. URDF, since it ignores elements and attributes that it does not
 * know, so that little besides the XML is judged.
 */

import { type Random, randomFrom } from '@hub/testing/random'
import { testSeed } from '@hub/testing/torture'
import { afterAll, expect, it } from 'vitest'
import { ModelRefusal } from '../src/fault.ts'
import { bytesOf } from '../src/xml/document-text.ts'
import { parseXml } from '../src/xml/parse-xml.ts'
import { openOracle } from './oracle/mujoco.ts'

const seed = testSeed()
const oracle = openOracle({ limitMs: 5_000 })
afterAll(() => oracle.close())

const moving = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
const documents = [
  `<?xml version="1.0"?>\n<!-- top -->\n<robot name="r&lt;1&amp;2&#65;&#x4e2d;">\n <link name="a"/>\n <link name='b "q"'>${moving}</link>
 <joint name="j&foo;1" type="continuous"><parent link="a"/><child link='b "q"'/></joint>\n</robot>\n`,
  `<robot name="x"><link name="a"/><link name="b">${moving}</link>text<joint name="one" type="continuous"><parent link="a"/>
<child link="b"/></joint><!-- c --><![CDATA[<x>]]><extra a="1" b = '2'><deep><er/></deep></extra></robot>`,
  `<!DOCTYPE robot [<!ENTITY lol "x">]>\r\n<robot\r\n name="a\r\nb">\r\n<link name="é日&#233;"/></robot>`,
]
const markup = `< > / " ' & ; = <!-- --> -- <![CDATA[ ]]> <? ?> <?xml?> <! <!DOCTYPE_x> </ /> </a> </robot> <x/> <x> </x> </x/> 1a="x" :a="x" a b="1"`
const pieces = [
  ...markup.split(' '),
  ...['< x/>', '< /x>', '</ x>', '</x a="1">', ' a = "1"', ' a="1" a="2"', ' ', '\n', '\r', '\t', '\v', '\f', '\0'],
  ...['\ufeff', '\u0085', '\u00a0', 'é', '😀', '.', '-', ':', '0', 'name'],
]
const references = `&lt; &amp; &gt; &quot; &apos; & &lt &l &lol; &#65; &#x41; &#X41; &#xE9; &#0; &#; &#x; &# &#x &#1 &#1#5; &#x4x; &#-1; &#xD800;
  &#x1F600; &#x110000; &#99999999999999999999; &#x0000000000041; < > ; # x a é 日 😀 '`
const valuePieces = [...references.split(/\s+/), '\n', '\r', '\r\n', '\n\r', '\t', ' ']

function spoiled(random: Random): Uint8Array {
  let bytes = bytesOf(random.pick(documents))
  for (let times = random.int(1, 3); times > 0; times--) {
    const at = random.int(0, bytes.length)
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
    const piece = random.pick([
      () => [before, after.subarray(random.int(1, 8))],
      () => [before, Uint8Array.of(random.int(0, 255)), after],
      () => [before, after.subarray(0, random.int(1, 40)), after],
      () => (random.chance(0.3) ? [before] : [before, after]),
      () => [before, bytesOf(random.pick(pieces)), after],
      () => [before, bytesOf(random.pick(pieces)), after],
      () => [before, bytesOf(random.pick(pieces)), after],
    ])
    bytes = Buffer.concat(piece())
  }
  return bytes
}

function valued(random: Random): Uint8Array {
  const value = Array.from({ length: random.int(1, 9) }, () => random.pick(valuePieces)).join('')
  return bytesOf(`<robot name="${value}"><link name="a"/></robot>`)
}

function parsed(bytes: Uint8Array) {
  try {
    return parseXml(bytes, 'main.xml')
  } catch (error) {
    if (error instanceof ModelRefusal) return null
    throw error
  }
}

/** MuJoCo's names come back with something in the place of what is not Unicode, one mark or several. */
const legible = (name: string) => name.replace(/[\p{Surrogate}\ufffd]+/gu, '?')

async function disagreement(bytes: Uint8Array): Promise<{ read: boolean; complaint: string | null }> {
  const judgement = await oracle.judge({ files: { 'main.xml': bytes }, entry: 'main.xml' })
  if (judgement.verdict === 'none') return { read: false, complaint: null }
  const root = parsed(bytes)
  const refusesXml =
    judgement.verdict === 'refused' && /XML parse error|root element not found|empty file/.test(judgement.error)
  if (refusesXml !== (root === null))
    return { read: false, complaint: refusesXml ? judgement.error : 'is refused, but MuJoCo reads it' }
  if (judgement.verdict === 'refused' || !root) return { read: false, complaint: null }
  const { model, joints } = judgement.compiled
  const named = (name: string | undefined) => legible(name ?? '')
  const own = root.children
    .filter(({ name }) => name === 'joint')
    .map(({ attributes }) => named(attributes.get('name')))
  const strays = joints.filter(({ name }) => name !== null && !own.includes(named(name)))
  const expected = named(root.attributes.get('name') ?? 'MuJoCo Model')
  if (expected !== named(model))
    return { read: true, complaint: `is named ${JSON.stringify(expected)}, for MuJoCo ${JSON.stringify(model)}` }
  return {
    read: true,
    complaint: strays.length > 0 ? `has joints ${own}, for MuJoCo ${strays.map(({ name }) => name)}` : null,
  }
}

it.each([
  ['spoiled documents', spoiled, 0.05],
  ['values', valued, 0.5],
] as const)(`reads 250 %s as MuJoCo does (HUB_TEST_SEED=${seed})`, async (_, make, atLeast) => {
  const random = randomFrom(seed)
  const complaints: string[] = []
  let read = 0
  for (let count = 0; count < 250; count++) {
    const bytes = make(random.fork())
    const answer = await disagreement(bytes)
    if (answer.read) read++
    if (answer.complaint !== null)
      complaints.push(`${JSON.stringify(Buffer.from(bytes).toString('latin1'))}: ${answer.complaint}`)
  }
  expect(complaints).toEqual([])
  // If all documents were rejected, the test would prove nothing.
  expect(read).toBeGreaterThan(250 * atLeast)
})
