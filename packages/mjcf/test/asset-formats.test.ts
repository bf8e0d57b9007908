/** Which asset files MuJoCo reads, by their names, content types and sizes: MuJoCo is the reference in each case. */
import { afterAll, describe, expect, it } from 'vitest'
import { agreedReading, type Files } from './agreed-reading.ts'
import { cloth, field, heights, image, main, mesh, obj, png, stl } from './asset-models.ts'
import { openOracle } from './oracle/mujoco.ts'

const oracle = openOracle()
afterAll(() => oracle.close())

const agreed = (files: Files) => agreedReading(oracle, files)

const stlOf = (triangles: number) => {
  const file = new Uint8Array(84 + 50 * triangles)
  file.set(stl.subarray(0, Math.min(file.length, stl.length)))
  new DataView(file.buffer).setUint32(80, triangles, true)
  return file
}
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`
const single = (assets: string, path: string, data: string | Uint8Array): Files => ({
  'main.xml': main(assets),
  [path]: data,
})

const formats: Record<string, Files> = {
  'STL in capitals': single(mesh('a.STL'), 'a.STL', stl),
  OBJ: single(mesh('a.obj'), 'a.obj', obj),
  'OBJ that is empty': single(mesh('a.obj'), 'a.obj', ''),
  DAE: single(mesh('a.dae'), 'a.dae', obj),
  PLY: single(mesh('a.ply'), 'a.ply', obj),
  'a mesh without an extension': single(mesh('a'), 'a', stl),
  'an empty STL': single(mesh('a.stl'), 'a.stl', ''),
  'an STL with half a header': single(mesh('a.stl'), 'a.stl', stl.subarray(0, 83)),
  'an STL without triangles': single(mesh('a.stl'), 'a.stl', stlOf(0)),
  'an STL of one triangle': single(mesh('a.stl'), 'a.stl', stlOf(1)),
  'an STL of two triangles': single(mesh('a.stl'), 'a.stl', stlOf(2)),
  'an STL of too many triangles': single(mesh('a.stl'), 'a.stl', stlOf(200_001)),
  'an STL in text': single(mesh('a.stl'), 'a.stl', `solid a\n${'facet normal 0 0 0\n'.repeat(20)}endsolid`),
  'an STL under a content type that is none': single(mesh('a.stl', 'content_type="foo"'), 'a.stl', stl),
  'an STL called OBJ by its content type': single(mesh('a.stl', 'content_type="model/obj"'), 'a.stl', stl),
  'an unknown extension with a content type': single(mesh('a.bin', 'content_type="model/stl"'), 'a.bin', stl),
  'an STL with vertices beside it': single(mesh('a.stl', 'vertex="0 0 0"'), 'a.stl', stl),
  'an OBJ with faces beside it': single(mesh('a.obj', 'face="0 1 2"'), 'a.obj', obj),
  'an OBJ with normals beside it': single(mesh('a.obj', 'normal="0 0 1" face="" vertex=""'), 'a.obj', obj),
  'an OBJ with half a normal beside it': single(mesh('a.obj', 'normal="0"'), 'a.obj', obj),
  'an MSH that is too short': single(mesh('a.msh'), 'a.msh', 'abc'),
  'an MSH called STL by its content type': single(mesh('a.msh', 'content_type="model/stl"'), 'a.msh', stl),
  'PNG in capitals': single(image('file="a.PNG"'), 'a.PNG', png),
  JPEG: single(image('file="a.jpg"'), 'a.jpg', png),
  'PNG by its content type': single(image('file="a.x" content_type="image/png"'), 'a.x', png),
  'PNG by a content type with a parameter': single(image('file="a.x" content_type="image/png; a=b"'), 'a.x', png),
  'a content type with half a parameter': single(image('file="a.png" content_type="image/png;"'), 'a.png', png),
  'a content type in capitals': single(image('file="a.png" content_type="IMAGE/PNG"'), 'a.png', png),
  'a PNG of another content type': single(image('file="a.png" content_type="image/jpeg"'), 'a.png', png),
  KTX: single(image('file="a.ktx"'), 'a.ktx', 'abcdef'),
  'KTX that is flipped': single(image('file="a.ktx" hflip="true"'), 'a.ktx', 'abcdef'),
  'KTX as a cube': single('<texture name="t" file="a.ktx"/>', 'a.ktx', 'abcdefghijklmnop'),
  'an empty PNG': single(image('file="a.png"'), 'a.png', ''),
  'a builtin texture of a missing file': {
    'main.xml': main(image('builtin="flat" width="8" height="8" file="a.png"')),
  },
  'a texture that is expressly not builtin': { 'main.xml': main(image('builtin="none" file="a.png"')) },
  'a cube of one file, whose separate files are not opened': single(
    '<texture name="t" file="a.png" fileup="b.png"/>',
    'a.png',
    png,
  ),
  'a cube of one separate file': single('<texture name="t" fileup="a.png"/>', 'a.png', png),
  'a height field of PNG': single(field('a.png'), 'a.png', png),
  'a height field of an unknown extension': single(field('a.bin'), 'a.bin', heights),
  'a height field without an extension': single(field('a'), 'a', heights),
  'a height field called STL': single(field('a.stl'), 'a.stl', heights),
  'a height field of another content type': single(field('a.png', 'content_type="a/b"'), 'a.png', heights),
  'a height field of a content type that is none': single(field('a.png', 'content_type="foo"'), 'a.png', heights),
  'a height field one byte too long': single(field('a.bin'), 'a.bin', new Uint8Array([...heights, 0])),
  'a height field without points': single(field('a.bin'), 'a.bin', heights.subarray(0, 8)),
  'a skin that is none': single('<skin name="s" file="a.bin"/>', 'a.bin', 'x'.repeat(100)),
  'a skin that is too short': single('<skin name="s" file="a.skn"/>', 'a.skn', 'x'.repeat(15)),
  'a flexcomp of OBJ': { 'main.xml': main('', '', cloth('a.obj')), 'a.obj': obj },
  'a flexcomp of DAE': { 'main.xml': main('', '', cloth('a.dae')), 'a.dae': obj },
  'a flexcomp of MSH': { 'main.xml': main('', '', cloth('a.msh')), 'a.msh': obj },
  'an empty flexcomp of GMSH': { 'main.xml': main('', '', cloth('a.msh', 'type="gmsh" dim="2"')), 'a.msh': '' },
}

describe('a file is accepted or rejected as in MuJoCo', () => {
  it.each(Object.entries(formats))('%s', async (_name, files) => {
    await agreed(files)
  })
})

describe('a Git LFS pointer is not an asset', () => {
  it.each<[string, Files]>([
    ['STL', single(mesh('a.stl'), 'a.stl', pointer)],
    ['OBJ', single(mesh('a.obj'), 'a.obj', pointer)],
    ['MSH', single(mesh('a.msh'), 'a.msh', pointer)],
    ['PNG', single(image('file="a.png"'), 'a.png', pointer)],
    ['a height field', single(field('a.png'), 'a.png', pointer)],
    ['a skin', single('<skin name="s" file="a.skn"/>', 'a.skn', pointer)],
    ['a flexcomp', { 'main.xml': main('', '', cloth('a.obj')), 'a.obj': pointer }],
  ])('in place of %s', async (_name, files) => {
    const { faults } = await agreed(files)
    expect(faults).toMatchObject([{ kind: 'asset', message: expect.stringContaining('Git LFS pointer') }])
  })

  it('except for KTX, which MuJoCo does not parse', async () => {
    expect((await agreed(single(image('file="a.ktx"'), 'a.ktx', pointer))).faults).toEqual([])
  })

  it('and a small OBJ is read to check for one', async () => {
    const small = `# ${'a comment '.repeat(12)}\n${obj}`
    const { faults, asked } = await agreed(single(mesh('a.obj'), 'a.obj', small))
    expect(faults).toEqual([])
    expect(asked).toContainEqual({ path: 'a.obj', text: true })
  })
})
