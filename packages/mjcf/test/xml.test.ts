// @module-tag sampled
/** The XML of MuJoCo's parser: what it accepts and rejects, and the resulting names and values. */

import { cpuWithin } from '@hub/testing/cpu'
import { describeOnce, inTorture, itOnce } from '@hub/testing/torture'
import { expect, it } from 'vitest'
import { ModelRefusal } from '../src/fault.ts'
import { limits } from '../src/limits.ts'
import type { XmlElement } from '../src/xml/element.ts'
import { parseXml } from '../src/xml/parse-xml.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const parse = (text: string | Uint8Array) => parseXml(typeof text === 'string' ? bytesOf(text) : text, 'm.xml')
const valueFrom = (raw: string) => parse(`<a v="${raw}"/>`).attributes.get('v')

function refusalOf(text: string | Uint8Array) {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof ModelRefusal) return error.fault
    throw error
  }
  return null
}

/** `a(b c)` for `<a><b/><c/></a>`. */
const shape = ({ name, children }: XmlElement): string =>
  children.length === 0 ? name : `${name}(${children.map(shape).join(' ')})`

describeOnce('is accepted', () => {
  it.each([
    ['a byte order mark', '\ufeff<a/>', 'a'],
    ['one after white space', ' \n\ufeff<a/>', 'a'],
    ['several declarations at the top', '<?xml version="1.0"?><?pi?><a/>', 'a'],
    ['text before the root', 'text<a/>', 'a'],
    ['text in an element', '<a>text<b/>text</a>', 'a(b)'],
    ['text after the root, if a tag follows', '<a/>text<!-- c -->', 'a'],
    ['a second root, which is ignored', '<a/><b/>', 'a'],
    ['-- in a comment', '<a><!-- -- - --></a>', 'a'],
    ['markup in a comment', '<a><!-- <b> --><c/></a>', 'a(c)'],
    ['CDATA, which is ignored', '<a><![CDATA[<b>]]><c/></a>', 'a(c)'],
    ['a DOCTYPE, which ends at its first >', '<!DOCTYPE a [<!ENTITY e "x">]><a/>', 'a'],
    ['white space after <', '< a>< b/></a>', 'a(b)'],
    ['white space before the / of a closing tag', '<a>< /a>', 'a'],
    ['white space and attributes in a closing tag', '<a></a \n x="1">', 'a'],
    ['a closing tag that closes itself, as an element', '<a></b/></a>', 'a(b)'],
    ['anything after a stray closing tag', '<a/></x> text <', 'a'],
    ['anything after a NUL', '<a/>\0<', 'a'],
    ['attributes without space between them', `<a b="1"c='2'/>`, 'a'],
    ['names of any letters', '<é日 _x-1.y="" :z=""/>', 'é日'],
  ])('%s', (_, text, expected) => {
    expect(shape(parse(text))).toBe(expected)
  })

  it('nesting up to the limit of MuJoCo', () => {
    const open = limits.levels - 1
    expect(refusalOf('<a>'.repeat(open) + '</a>'.repeat(open))).toBeNull()
    expect(refusalOf(`${'<a>'.repeat(open)}<b/>${'</a>'.repeat(open)}`)).toBeNull()
    expect(refusalOf('<a>'.repeat(open + 1) + '</a>'.repeat(open + 1))).toMatchObject({ kind: 'xml' })
  })
})

describeOnce('is rejected', () => {
  it.each([
    ['an empty document', ''],
    ['white space alone', ' \n'],
    ['a comment alone', '<!-- c -->'],
    ['a closing tag alone', '</a>'],
    ['text alone', 'text'],
    ['text after the root', '<a/>text'],
    ['an unclosed element', '<a><b></b>'],
    ['elements that cross', '<a><b></a></b>'],
    ['names that differ in case', '<a></A>'],
    ['an unclosed tag', '<a'],
    ['an unclosed comment', '<a/><!-->'],
    ['an unclosed CDATA', '<a><![CDATA[</a>'],
    ['an attribute twice', '<a b="1" b="2"/>'],
    ['an attribute without a value', '<a b/>'],
    ['an attribute without quotes', '<a b=1/>'],
    ['an unclosed value', '<a b="1/>'],
    ['an attribute with a digit first', '<a 1="1"/>'],
    ['white space after </', '<a></ a>'],
    ['a declaration below the root', '<a><?xml?></a>'],
    ['a declaration after a comment', '<!-- c --><?xml?><a/>'],
    ['a second byte order mark', '\ufeff\ufeff'],
  ])('%s', (_, text) => {
    expect(refusalOf(text)).toMatchObject({ kind: 'xml', file: 'm.xml' })
  })

  it('UTF-16, with the fix', () => {
    const text = '\ufeff<a/>'
    const utf16 = new Uint8Array(Uint16Array.from(text, (letter) => letter.charCodeAt(0)).buffer)
    expect(refusalOf(utf16)).toMatchObject({ kind: 'xml', hint: 'The file has NUL bytes: save it as UTF-8.' })
  })

  it('with the line of the fault', () => {
    expect(refusalOf('<a>\n<b\nc="1"\nc="2"/></a>')).toMatchObject({ line: 4 })
    expect(refusalOf('<a>\n<b>\n</a>')).toMatchObject({ line: 3, message: '</a> closes <b> of line 2.' })
  })

  it('with a short message', () => {
    expect(refusalOf(`<${'a'.repeat(100_000)}`)?.message.length).toBeLessThan(400)
  })

  it.each([
    [
      'too many attributes',
      `<a ${Array.from({ length: limits.elementAttributes + 1 }, (_, i) => `a${i}=""`).join(' ')}/>`,
    ],
    ['too many elements', `<a>${'<b/>'.repeat(limits.elements)}</a>`],
    ['too many bytes', new Uint8Array(limits.fileBytes + 1)],
  ])('for %s as over the limit', (_, text) => {
    expect(refusalOf(text)).toMatchObject({ kind: 'limit' })
  })
})

describeOnce('a value', () => {
  it.each([
    ['&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    ['&#65;&#x4e2D;&#0000066;', 'A中B'],
    ['&lol; & &lt', '&lol; & &lt'],
    ['&#X41; &#x110000; &#; ', '&#X41; &#x110000; '],
    ['a&#0;b', 'a'],
    ['a&#', 'a#'],
    ['&#x4x;b', ''],
    [' a\tb ', ' a\tb '],
    ['a\r\nb\rc\n\rd', 'a\nb\nc\nd'],
    ['a<b>c', 'a<b>c'],
    ["it's", "it's"],
    ['é日😀', 'é日😀'],
  ])('written %j is %j', (raw, value) => {
    expect(valueFrom(raw)).toBe(value)
  })

  it('keeps the leftover text in place of an unknown entity after a decoded one', () => {
    expect(valueFrom('&lt;&foo;')).toBe('<lfoo;')
  })

  it('distinguishes bytes that are not UTF-8', () => {
    const named = (byte: number) => {
      const bytes = bytesOf('<a b="?é"/>')
      bytes[6] = byte
      return parse(bytes).attributes.get('b')
    }
    expect(named(0xff)).not.toBe(named(0xfe))
    expect(named(0xff)?.at(-1)).toBe('é')
  })
})

itOnce('an element has its file, its line, and whether it contains more than elements', () => {
  const root = parse('<a>\n<b/>\n\n<c>text</c><d><!-- --></d><e> </e></a>')
  expect(root.children.map(({ name, line, hasOtherContent }) => [name, line, hasOtherContent])).toEqual([
    ['b', 2, undefined],
    ['c', 4, true],
    ['d', 4, true],
    ['e', 4, undefined],
  ])
  expect(root.file).toBe('m.xml')
})

inTorture(() => {
  it('16 MiB take less than two seconds of processor time, whatever their content', async () => {
    const filled = (start: string, byte: number, end: string) => {
      const bytes = new Uint8Array(limits.fileBytes).fill(byte)
      bytes.set(bytesOf(start))
      bytes.set(bytesOf(end), bytes.length - end.length)
      return bytes
    }
    const documents = [
      filled('<a>', 0x78, '</a>'),
      filled('<a v="', 0x26, '"/>'),
      bytesOf(`<a v="${'&#1'.repeat(5_000_000)}"/>`),
      bytesOf(`<a v="${'&#1'.repeat(2_500_000)}z${'1'.repeat(8_000_000)};"/>`),
      bytesOf(`<a v="${'&am'.repeat(5_000_000)}"/>`),
      filled('<a>', 0x0a, '</a>'),
      bytesOf(`<a>${'<!---->'.repeat(2_300_000)}</a>`),
      bytesOf(`<a>${'<!--'.repeat(4_000_000)}</a>`),
      bytesOf('<a>'.repeat(5_000_000)),
    ]
    for (const document of documents) {
      expect(await cpuWithin(2_000, () => refusalOf(document))).toBeLessThan(2_000)
    }
  })
})
