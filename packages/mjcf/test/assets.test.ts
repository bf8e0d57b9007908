/**
 * Which asset files a model needs, where they are looked for, and which of them are unusable: MuJoCo is the reference
 * in each case.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { agreedReading, type Files } from './agreed-reading.ts'
import { cloth, field, image, main, mesh, obj, png, stl } from './asset-models.ts'
import { openOracle } from './oracle/mujoco.ts'

const oracle = openOracle()
afterAll(() => oracle.close())

const agreed = (files: Files) => agreedReading(oracle, files)

const lookups: Record<string, Files> = {
  'a mesh beside the main file': { 'main.xml': main(mesh('a.stl')), 'a.stl': stl },
  'a mesh of another case': { 'main.xml': main(mesh('A.stl')), 'a.stl': stl },
  'a mesh in a folder that is not named': { 'main.xml': main(mesh('a.stl')), 'x/a.stl': stl },
  'a path through a folder that is not there': { 'main.xml': main(mesh('no/../a.stl')), 'a.stl': stl },
  'doubled separators': { 'main.xml': main(mesh('d//a.stl')), 'd/a.stl': stl },
  backslashes: { 'main.xml': main(mesh('d\\a.stl')), 'd/a.stl': stl },
  'a name that is not decoded': { 'main.xml': main(mesh('a%20b.stl')), 'a b.stl': stl },
  'a name with blanks around it': { 'main.xml': main(mesh(' a.stl')), 'a.stl': stl },
  'a folder in place of a file': { 'main.xml': main(mesh('d')), 'd/a.stl': stl },
  'a separator at the end': { 'main.xml': main(mesh('a.stl/')), 'a.stl': stl },
  meshdir: { 'main.xml': main(mesh('a.stl'), '<compiler meshdir="d"/>'), 'd/a.stl': stl },
  'meshdir, with the file beside the main file': {
    'main.xml': main(mesh('a.stl'), '<compiler meshdir="d"/>'),
    'a.stl': stl,
  },
  'meshdir for a texture': { 'main.xml': main(image('file="a.png"'), '<compiler meshdir="d"/>'), 'd/a.png': png },
  texturedir: { 'main.xml': main(image('file="a.png"'), '<compiler texturedir="d"/>'), 'd/a.png': png },
  'assetdir for both': {
    'main.xml': main(mesh('a.stl') + image('file="a.png"'), '<compiler assetdir="d"/>'),
    'd/a.stl': stl,
    'd/a.png': png,
  },
  'meshdir over assetdir in one element': {
    'main.xml': main(mesh('a.stl'), '<compiler meshdir="e" assetdir="d"/>'),
    'e/a.stl': stl,
  },
  'a later assetdir over an earlier meshdir': {
    'main.xml': main(mesh('a.stl'), '<compiler meshdir="e"/><compiler assetdir="d"/>'),
    'd/a.stl': stl,
  },
  'a later empty meshdir': {
    'main.xml': main(mesh('a.stl'), '<compiler meshdir="e"/><compiler meshdir=""/>'),
    'a.stl': stl,
  },
  'settings after the assets': {
    'main.xml': main(mesh('a.stl'), '').replace('</mujoco>', '<compiler meshdir="d"/></mujoco>'),
    'd/a.stl': stl,
  },
  'settings in an included file of another folder': {
    'main.xml': main(mesh('a.stl'), '<include file="s/c.xml"/>'),
    's/c.xml': '<mujoco><compiler meshdir="d"/></mujoco>',
    'd/a.stl': stl,
  },
  'a height field in meshdir': { 'main.xml': main(field('a.png'), '<compiler meshdir="d"/>'), 'd/a.png': png },
  'a height field in texturedir': { 'main.xml': main(field('a.png'), '<compiler texturedir="d"/>'), 'd/a.png': png },
  'a flexcomp in meshdir': { 'main.xml': main('', '<compiler meshdir="d"/>', cloth('a.stl')), 'd/a.stl': stl },
  'a flexcomp of a grid, whose file counts for nothing': {
    'main.xml': main('', '', cloth('a.stl', 'type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2"')),
  },
  'a flexcomp that is missing': { 'main.xml': main('', '', cloth('a.stl')) },
  'two names of one file': {
    'main.xml': main(mesh('a.stl') + mesh('./a.stl', 'scale="2 2 2"').replace('"m"', '"n"')),
    'a.stl': stl,
  },
  strippath: { 'main.xml': main(mesh('x/a.stl'), '<compiler strippath="true" meshdir="d"/>'), 'd/a.stl': stl },
  'strippath of a name that is absolute': {
    'main.xml': main(mesh('package://p/a.stl'), '<compiler strippath="true"/>'),
    'a.stl': stl,
  },
  'strippath for textures': { 'main.xml': main(image('file="x/a.png"'), '<compiler strippath="true"/>'), 'a.png': png },
  'strippath of a path that ends in a separator': {
    'main.xml': main(mesh('d/'), '<compiler strippath="true"/>'),
    'd/a.stl': stl,
  },
}

describe('a file is found or missing as in MuJoCo', () => {
  it.each(Object.entries(lookups))('%s', async (_name, files) => {
    await agreed(files)
  })
})

const inIncluded = (assets: string, settings = '', world = ''): Files => ({
  'main.xml': main('', `${settings}<include file="s/part.xml"/>`),
  's/part.xml': `<mujoco><asset>${assets}</asset><worldbody>${world}</worldbody></mujoco>`,
})

const included: Record<string, Files> = {
  'first in meshdir below the main folder': {
    ...inIncluded(mesh('a.stl'), '<compiler meshdir="d"/>'),
    'd/a.stl': stl,
    's/a.stl': obj,
  },
  'next beside the included file, without meshdir': {
    ...inIncluded(mesh('a.stl'), '<compiler meshdir="d"/>'),
    's/a.stl': stl,
  },
  'never in meshdir below the folder of the included file': {
    ...inIncluded(mesh('a.stl'), '<compiler meshdir="d"/>'),
    's/d/a.stl': stl,
  },
  'textures alike': { ...inIncluded(image('file="a.png"'), '<compiler texturedir="d"/>'), 's/a.png': png },
  'cube files each on its own': {
    ...inIncluded('<texture name="t" fileup="a.png" filedown="b.png"/>', '<compiler texturedir="d"/>'),
    's/a.png': png,
    'd/b.png': png,
  },
  'not at all for a height field in meshdir': {
    ...inIncluded(field('a.png'), '<compiler meshdir="d"/>'),
    'd/a.png': png,
  },
  'a height field in assetdir': { ...inIncluded(field('a.png'), '<compiler assetdir="d"/>'), 'd/a.png': png },
  'a height field beside the included file': {
    ...inIncluded(field('a.png'), '<compiler assetdir="d"/>'),
    's/a.png': png,
  },
  'a height field at both of the places that are asked for': {
    ...inIncluded(field('a.png'), '<compiler meshdir="d"/>'),
    'd/a.png': png,
    'a.png': png,
  },
  'a flexcomp in meshdir, which is not asked for': {
    ...inIncluded('', '<compiler meshdir="d"/>', cloth('a.stl')),
    'd/a.stl': stl,
  },
  'a flexcomp beside the included file': {
    ...inIncluded('', '<compiler meshdir="d"/>', cloth('a.stl')),
    's/a.stl': stl,
  },
  'a mesh by the meshdir that a later assetdir has overridden': {
    ...inIncluded(mesh('a.stl'), '<compiler meshdir="d"/><compiler assetdir="e"/>'),
    'd/a.stl': stl,
    'e/a.stl': stl,
  },
  'a mesh by assetdir where meshdir is empty': {
    ...inIncluded(mesh('a.stl'), '<compiler assetdir="e"/><compiler meshdir=""/>'),
    'e/a.stl': stl,
    'a.stl': stl,
  },
  'with strippath in meshdir alone': {
    ...inIncluded(mesh('x/a.stl'), '<compiler meshdir="d" strippath="true"/>'),
    's/x/a.stl': stl,
    'd/a.stl': stl,
  },
}

describe('an asset of an included file is looked for', () => {
  it.each(Object.entries(included))('%s', async (_name, files) => {
    await agreed(files)
  })
})

const child = (assets: string, settings = '', world = '<body name="b"><geom size=".1"/></body>') =>
  `<mujoco model="c">${settings}<asset>${assets}</asset><worldbody>${world}</worldbody></mujoco>`
const parent = (settings = '', world = '<attach model="c" prefix="c-"/>') =>
  main('<model name="c" file="c/c.xml"/>', settings, world)

const contained: Record<string, Files> = {
  'below the folder of the child': { 'main.xml': parent(), 'c/c.xml': child(mesh('a.stl')), 'c/a.stl': stl },
  'in the meshdir of the child, not of the parent': {
    'main.xml': parent('<compiler meshdir="p"/>'),
    'c/c.xml': child(mesh('a.stl'), '<compiler meshdir="q"/>'),
    'c/q/a.stl': stl,
  },
  'without its folder where the parent has strippath': {
    'main.xml': parent('<compiler strippath="true"/>'),
    'c/c.xml': child(mesh('x/a.stl')),
    'c/a.stl': stl,
  },
  'with its folder where only the child has strippath': {
    'main.xml': parent(),
    'c/c.xml': child(mesh('x/a.stl'), '<compiler strippath="true"/>'),
    'c/x/a.stl': stl,
  },
  'not at all, as texture, where the parent has discardvisual': {
    'main.xml': parent('<compiler discardvisual="true"/>'),
    'c/c.xml': child(image('file="a.png"')),
  },
  'as texture though the child has discardvisual': {
    'main.xml': parent(),
    'c/c.xml': child(image('file="a.png"'), '<compiler discardvisual="true"/>'),
  },
  'not at all where the child is not attached': { 'main.xml': parent('', ''), 'c/c.xml': child(mesh('a.stl')) },
  'though only a body of it is attached': {
    'main.xml': parent('', '<attach model="c" body="b" prefix="c-"/>'),
    'c/c.xml': child(mesh('a.stl') + field('h.png')),
  },
  'though it is attached no times': {
    'main.xml': parent('', '<replicate count="0"><attach model="c" prefix="c-"/></replicate>'),
    'c/c.xml': child(mesh('a.stl')),
  },
  'as flexcomp though it is not attached': { 'main.xml': parent('', ''), 'c/c.xml': child('', '', cloth('a.stl')) },
  'as flexcomp that is there': {
    'main.xml': parent('', ''),
    'c/c.xml': child('', '', cloth('a.stl')),
    'c/a.stl': stl,
  },
  'as flexcomp with the strippath of the child': {
    'main.xml': parent(),
    'c/c.xml': child('', '<compiler strippath="true"/>', cloth('x/a.stl')),
    'c/a.stl': stl,
  },
}

describe('an asset of a contained model is looked for', () => {
  it.each(Object.entries(contained))('%s', async (_name, files) => {
    await agreed(files)
  })
})

describe('the fault of a file names', () => {
  it('the first and the second place of a missing file', async () => {
    const { missing } = await agreed(inIncluded(mesh('a.stl'), '<compiler meshdir="d"/>'))
    expect(missing).toEqual([{ path: 'd/a.stl', alternatives: ['s/a.stl'], kind: 'mesh', file: 's/part.xml', line: 1 }])
  })

  it('a file once that is named twice and missing', async () => {
    const { missing } = await agreed({ 'main.xml': main(mesh('a.stl') + mesh('a.stl').replace('"m"', '"n"')) })
    expect(missing.map(({ path }) => path)).toEqual(['a.stl'])
  })

  it.each(['../a.stl', '/a.stl', 'package://p/a.stl', 'C:/a.stl'])('%s lies outside the repo', async (path) => {
    const { faults, asked } = await agreed({ 'main.xml': main(mesh(path)), 'a.stl': stl })
    expect(faults).toMatchObject([{ kind: 'path', names: [path], file: 'main.xml', line: 1 }])
    expect(asked).toEqual([{ path: 'main.xml', text: true }])
  })

  it('a format that MuJoCo cannot read, with a fix', async () => {
    const { faults, files } = await agreed({ 'main.xml': main(mesh('a.dae')), 'a.dae': obj })
    expect(faults).toMatchObject([{ kind: 'asset', names: ['a.dae'], hint: expect.stringContaining('STL') }])
    expect(files).toEqual(['a.dae', 'main.xml'])
  })

  it('an asset that is found only beside the included file depends on how the model is loaded', async () => {
    const files = { ...inIncluded(mesh('a.stl'), '<compiler meshdir="d"/>'), 's/a.stl': stl }
    const { warnings } = await agreed(files)
    expect(warnings).toMatchObject([{ kind: 'path', file: 's/part.xml', names: ['a.stl'] }])
    const found = await agreed({ ...files, 'd/a.stl': stl })
    expect(found.warnings).toEqual([])
  })
})
