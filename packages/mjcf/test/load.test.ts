/** Includes and contained models: which file each names, and the result. */
import { describe, expect, it } from 'vitest'
import { Faults, ModelRefusal } from '../src/fault.ts'
import { type LoadedModel, loadModel } from '../src/load/load-model.ts'
import type { ModelFiles } from '../src/model-files.ts'
import type { XmlElement } from '../src/xml/element.ts'
import { memoryFiles } from './memory-files.ts'

type Files = Readonly<Record<string, string>>

async function load(files: Files, entry = 'main.xml') {
  const faults = new Faults()
  const model = await loadModel(memoryFiles(files), entry, faults)
  return { model, faults: faults.items, ...model.report }
}

/** The requests in between: the sizes of each wave, and texts. */
async function recorded(files: Files) {
  const memory = memoryFiles(files)
  const sizes: (readonly string[])[] = []
  const texts: string[] = []
  const faults = new Faults()
  const source: ModelFiles = {
    sizesOf: (paths) => {
      sizes.push(paths)
      return memory.sizesOf(paths)
    },
    readFile: (path) => {
      texts.push(path)
      return memory.readFile(path)
    },
  }
  await loadModel(source, 'main.xml', faults)
  return { faults: faults.items, sizes, texts }
}

const refusalOf = (files: Files, entry?: string) =>
  load(files, entry).then(
    () => null,
    (error) => (error instanceof ModelRefusal ? error.fault : Promise.reject(error)),
  )

const mujoco = (content: string) => `<mujoco>${content}</mujoco>`
const include = (file: string) => `<include file="${file}"/>`
const asset = (file: string, more = '') => `<asset><model file="${file}" ${more}/></asset>`
const names = ({ root }: LoadedModel) => root.children.map(({ name }) => name)
const childrenOf = (model: LoadedModel): LoadedModel[] => [...model.models.values()]

function* tree(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of element.children) yield* tree(child)
}

describe('an include', () => {
  it('is replaced by the children of the included root, anywhere in the document', async () => {
    const { model, faults } = await load({
      'main.xml': `<mujoco><a/>${include('b.xml')}<d>${include('e.xml')}</d></mujoco>`,
      'b.xml': '<whatever model="x"><b/><c/></whatever>',
      'e.xml': '<d><e/></d>',
    })
    expect(names(model)).toEqual(['a', 'b', 'c', 'd'])
    expect(model.root.children[3]?.children.map(({ name, file, line }) => [name, file, line])).toEqual([
      ['e', 'e.xml', 1],
    ])
    expect(model.includes).toEqual(['b.xml', 'e.xml'])
    expect(faults).toEqual([])
  })

  it('is looked for in the folder of the main file first', async () => {
    const { model, warnings } = await load(
      {
        'r/main.xml': mujoco(include('s/a.xml')),
        'r/s/a.xml': mujoco(include('b.xml')),
        'r/b.xml': '<x><r/></x>',
        'r/s/b.xml': '<x><s/></x>',
      },
      'r/main.xml',
    )
    expect([names(model), model.includes, warnings]).toEqual([['r'], ['r/s/a.xml', 'r/b.xml'], []])
  })

  it('is then looked for in the folder of the including file, with a warning, and nowhere in between', async () => {
    const files = {
      'main.xml': mujoco(include('s/t/a.xml')),
      's/t/a.xml': mujoco(include('b.xml')),
      's/b.xml': '<x><s/></x>',
    }
    const { missing } = await load(files)
    expect(missing).toEqual([
      { path: 'b.xml', alternatives: ['s/t/b.xml'], kind: 'include', file: 's/t/a.xml', line: 1 },
    ])
    const { model, warnings } = await load({ ...files, 's/t/b.xml': '<x><t/></x>' })
    expect(names(model)).toEqual(['t'])
    expect(warnings).toMatchObject([{ kind: 'include', file: 's/t/a.xml', names: ['s/t/b.xml'] }])
  })

  it('may be found in the folder of the including file although the first path leaves the repo', async () => {
    const { model, faults, warnings } = await load({
      'main.xml': mujoco(include('s/a.xml')),
      's/a.xml': mujoco(include('../b.xml')),
      'b.xml': '<x><b/></x>',
    })
    expect([names(model), faults, warnings.length]).toEqual([['b'], [], 1])
  })

  it.each(['../b.xml', '/etc/passwd', 'file:///etc/passwd', 'package://p/b.xml', 's/../../b.xml', './/b.xml'])(
    'of %s is a fault, and never asked for',
    async (file) => {
      const { faults, sizes } = await recorded({ 'main.xml': mujoco(include(file)) })
      expect(faults).toMatchObject([{ kind: 'path', names: [file], line: 1 }])
      expect(sizes).toEqual([['main.xml']])
    },
  )

  it.each([
    ['no file', '<include/>', '<x><b/></x>'],
    ['children', '<include file="b.xml"><a/></include>', '<x><b/></x>'],
    ['a comment in it', '<include file="b.xml"><!-- --></include>', '<x><b/></x>'],
    ['a file without elements', include('b.xml'), '<mujoco><!-- --></mujoco>'],
  ])('with %s is a fault', async (_, written, included) => {
    const { faults } = await load({ 'main.xml': mujoco(written), 'b.xml': included })
    expect(faults).toMatchObject([{ kind: 'include', file: 'main.xml' }])
  })

  it('of a file that is not XML reports the fault of that file', async () => {
    const { faults } = await load({ 'main.xml': mujoco(include('b.xml')), 'b.xml': '<x>\n<y></x>' })
    expect(faults).toMatchObject([{ kind: 'xml', file: 'b.xml', line: 2 }])
  })

  it('in a comment or in a URDF is ignored', async () => {
    const { missing } = await load({ 'main.xml': mujoco(`<!-- ${include('b.xml')} -->`) })
    const urdf = await load({ 'main.xml': `<robot>${include('b.xml')}</robot>` })
    expect([missing, urdf.missing, urdf.model.format]).toEqual([[], [], 'urdf'])
  })
})

describe('a file included twice', () => {
  const b = { 'b.xml': '<x><b/></x>' }

  it.each([
    ['in the main file', { 'main.xml': mujoco(include('b.xml') + include('b.xml')) }],
    ['in another spelling', { 'main.xml': mujoco(include('b.xml') + include('x/.././b.xml')) }],
    [
      'first in the main file',
      { 'main.xml': mujoco(include('b.xml') + include('a.xml')), 'a.xml': mujoco(include('b.xml')) },
    ],
  ])('%s is a fault', async (_, files) => {
    expect((await load({ ...files, ...b })).faults).toMatchObject([{ kind: 'include', names: ['b.xml'] }])
  })

  it.each([
    [
      'by two others',
      {
        'main.xml': mujoco(include('a.xml') + include('c.xml')),
        'a.xml': mujoco(include('b.xml')),
        'c.xml': mujoco(include('b.xml')),
      },
    ],
    [
      'within one other',
      { 'main.xml': mujoco(include('a.xml')), 'a.xml': mujoco(include('b.xml') + include('b.xml')) },
    ],
    [
      'last in the main file',
      { 'main.xml': mujoco(include('a.xml') + include('b.xml')), 'a.xml': mujoco(include('b.xml')) },
    ],
  ])('%s passes with a warning, each time with elements of its own', async (_, files) => {
    const { model, faults, warnings } = await load({ ...files, ...b })
    expect([names(model), faults]).toEqual([['b', 'b'], []])
    expect(model.root.children[0]).not.toBe(model.root.children[1])
    expect(warnings).toMatchObject([{ kind: 'include', names: ['b.xml'] }])
  })

  it('by two other files of its sub-folder is a fault', async () => {
    const { faults } = await load({
      'main.xml': mujoco(include('s/a.xml') + include('s/c.xml')),
      's/a.xml': mujoco(include('b.xml')),
      's/c.xml': mujoco(include('b.xml')),
      's/b.xml': '<x><b/></x>',
    })
    expect(faults).toMatchObject([{ kind: 'include', names: ['s/b.xml'] }])
  })

  it.each([
    ['itself', { 'main.xml': mujoco(include('main.xml')) }, ['main.xml', 'main.xml']],
    [
      'a circle',
      { 'main.xml': mujoco(include('a.xml')), 'a.xml': mujoco(include('c.xml')), 'c.xml': mujoco(include('a.xml')) },
      ['a.xml', 'c.xml', 'a.xml'],
    ],
  ])('by %s is a fault that names the way round', async (_, files: Files, way) => {
    expect((await load(files)).faults).toMatchObject([{ kind: 'include', names: way }])
  })
})

describe('a contained model', () => {
  const child = '<mujoco model="c"><b/></mujoco>'

  it('is looked for in the folder of the file that names it', async () => {
    const { model, missing, warnings } = await load({
      'main.xml': mujoco(`${asset('c.xml')}<asset>${include('s/a.xml')}</asset>`),
      's/a.xml': '<x><model file="c.xml"/></x>',
      'c.xml': child,
      's/c.xml': child,
    })
    expect(childrenOf(model).map(({ path, folder }) => [path, folder])).toEqual([
      ['c.xml', ''],
      ['s/c.xml', 's'],
    ])
    expect(missing).toEqual([])
    expect(warnings).toMatchObject([{ file: 's/a.xml', names: ['s/c.xml'] }])
  })

  it('has includes of its own, may contain models, and may be a URDF', async () => {
    const { model, faults } = await load({
      'main.xml': mujoco(asset('s/c.xml') + include('d.xml')),
      's/c.xml': mujoco(include('../d.xml') + asset('u.urdf')),
      's/u.urdf': '<robot name="u"><link name="l"/></robot>',
      'd.xml': '<x><d/></x>',
    })
    const [contained] = childrenOf(model)
    expect([contained && names(contained), contained?.includes]).toEqual([['d', 'asset'], ['d.xml']])
    expect(contained && childrenOf(contained).map(({ path, format }) => [path, format])).toEqual([['s/u.urdf', 'urdf']])
    expect(faults).toEqual([])
  })

  it('used twice is loaded twice', async () => {
    const { model } = await load({
      'main.xml': mujoco(asset('u.urdf') + asset('u.urdf')),
      'u.urdf': '<robot><link/></robot>',
    })
    const [one, other] = childrenOf(model)
    const ofOne = new Set(one && tree(one.root))
    expect(other && [...tree(other.root)].some((element) => ofOne.has(element))).toBe(false)
  })

  it('that is absent is missing', async () => {
    const { missing } = await load({ 'main.xml': mujoco(asset('c.xml')) })
    expect(missing).toEqual([{ path: 'c.xml', alternatives: [], kind: 'model', file: 'main.xml', line: 1 }])
  })

  it.each([
    ['without a file', '<asset><model/></asset>', 'schema'],
    ['named .XML', asset('c.XML'), 'asset'],
    ['out of the repo', asset('../c.xml'), 'path'],
    ['that is a fragment', asset('fragment.xml'), 'asset'],
    ['that is not XML', asset('broken.xml'), 'xml'],
    ['that is its own container', asset('main.xml'), 'include'],
  ])('%s is a fault', async (_, written, kind) => {
    const files = { 'c.XML': child, 'fragment.xml': '<mujocoinclude/>', 'broken.xml': '<a' }
    const { model, faults } = await load({ 'main.xml': mujoco(written), ...files })
    expect([faults.map((fault) => fault.kind), model.models.size]).toEqual([[kind], 0])
  })

  it('of any name is read if content_type declares XML', async () => {
    const { model } = await load({ 'main.xml': mujoco(asset('c.mjcf', 'content_type="text/xml"')), 'c.mjcf': child })
    expect(model.models.size).toBe(1)
  })

  it('that contains its container is a fault that names the cycle', async () => {
    const { faults } = await load({ 'main.xml': mujoco(asset('s/c.xml')), 's/c.xml': mujoco(asset('../main.xml')) })
    expect(faults).toMatchObject([{ kind: 'include', names: ['main.xml', 's/c.xml', 'main.xml'] }])
  })
})

describe('an entry', () => {
  it('is recognised by its root, whatever its name', async () => {
    const formats = ['mujoco', 'robot', 'MuJoCo', 'ROBOT'].map(
      async (root) => (await load({ 'a.stl': `<${root}/>` }, 'a.stl')).model.format,
    )
    expect(await Promise.all(formats)).toEqual(['mjcf', 'urdf', 'mjcf', 'urdf'])
  })

  it.each([
    ['absent', {}, 'entry'],
    ['empty', { 'main.xml': '' }, 'entry'],
    ['a fragment', { 'main.xml': '<mujocoinclude/>' }, 'entry'],
    ['no XML', { 'main.xml': '<mujoco>' }, 'xml'],
  ])('that is %s ends the reading', async (_, files: Files, kind) => {
    expect(await refusalOf(files)).toMatchObject({ kind, file: 'main.xml' })
  })
})

describe('files are requested', () => {
  it('in waves: the sizes of all files of a wave at once, then the text of those that exist', async () => {
    const { sizes, texts } = await recorded({
      'main.xml': mujoco(include('s/a.xml') + include('s/b.xml')),
      's/a.xml': mujoco(include('c.xml')),
      's/b.xml': mujoco(include('c.xml')),
      's/c.xml': '<x><c/></x>',
    })
    expect(sizes).toEqual([['main.xml'], ['s/a.xml', 's/b.xml'], ['c.xml', 's/c.xml']])
    expect(texts).toEqual(['main.xml', 's/a.xml', 's/b.xml', 's/c.xml'])
  })
})
