import { body, child, childAsset, joint, type SpecCase, world } from './spec-case.ts'

const nested = '<default class="a"><joint type="ball"/><default class="b"><joint damping="1"/></default></default>'

const slideAndBall =
  '<default><default class="s"><joint type="slide"/></default><default class="b"><joint type="ball"/></default></default>'

/** Where a class may stand though the schema has none: the element gets the attributes, and one joint in it is named. */
const places: readonly { readonly where: string; readonly joint: string; of(attributes: string): string }[] = [
  { where: 'a frame', joint: 'j', of: (its) => `<frame ${its}>${body('x', joint('j'))}</frame>` },
  { where: 'a frame in a body', joint: 'j', of: (its) => body('x', `<frame ${its}>${joint('j')}</frame>`) },
  {
    where: 'a replicate',
    joint: 'j0',
    of: (its) => `<replicate count="1" ${its}>${body('x', joint('j'))}</replicate>`,
  },
  { where: 'a body in a frame', joint: 'j', of: (its) => `<frame>${body('x', joint('j'), its)}</frame>` },
  {
    where: 'a body in a body of a replicate',
    joint: 'j0',
    of: (its) => `<replicate count="1">${body('x', body('y', joint('j'), its))}</replicate>`,
  },
]

export const DEFAULTS_CASES: readonly SpecCase[] = [
  {
    rule: 'the type of a joint is its own, else that of its class, else that of the nearest childclass, else that of "main"',
    main: `<default><joint type="slide"/><default class="a"><joint type="hinge"/></default></default>${world(
      body('x', body('y', joint('j1') + joint('j2', 'class="main"') + joint('j3', 'type="slide"')), 'childclass="a"') +
        body('z', joint('j4')),
    )}`,
    joints: ['j1:hinge', 'j2:slide', 'j3:slide', 'j4:slide'],
  },
  {
    rule: 'a frame within a body has a childclass of its own',
    main: `<default>${nested}</default>${world(body('x', `${joint('j1')}`) + body('y', `<frame childclass="a">${joint('j2')}</frame>`))}`,
    joints: ['j1:hinge', 'j2:ball'],
  },
  {
    rule: 'a nested class has what its parents have',
    main: `<default>${nested}</default>${world(body('x', joint('j', 'class="b"')))}`,
    joints: ['j:ball'],
  },
  {
    rule: 'elements of a class count before its nested classes, wherever they stand in it',
    main: `<default><default class="a"/><joint type="slide"/></default>${world(body('x', joint('j', 'class="a"')))}`,
    joints: ['j:slide'],
  },
  {
    rule: 'a later top-level section does not reach the classes of an earlier one',
    main: `<default><default class="a"/></default><default><joint type="slide"/></default>${world(body('x', joint('j', 'class="a"')) + body('y', joint('k')))}`,
    joints: ['j:hinge', 'k:slide'],
  },
  {
    rule: 'default sections are read before the bodies, wherever they stand',
    main: `${world(body('x', joint('j')))}<default><joint type="slide"/></default>`,
    joints: ['j:slide'],
  },
  { rule: 'the top-level class is called "main"', main: '<default class="x"/>', joints: null },
  { rule: 'a nested class has a name', main: '<default><default/></default>', joints: null },
  {
    rule: 'a class is defined once',
    main: '<default><default class="a"/></default><default><default class="a"/></default>',
    joints: null,
  },
  { rule: 'a class that is named is defined', main: world(body('x', joint('j', 'class="nope"'))), joints: null },
  { rule: 'a childclass that is named is defined', main: world(body('x', '', 'childclass="nope"')), joints: null },
  {
    rule: 'an attached child has its own defaults',
    main: `${childAsset}${world(`${body('x', joint('j'))}<attach model="c" prefix="L"/>`)}`,
    files: { 'c.xml': child() },
    joints: ['j:hinge', 'Lcj:slide'],
  },
  {
    rule: 'classes of an attached child can be used after it, and not before',
    main: `${childAsset}${world(`<attach model="c" prefix="L"/>${body('x', joint('j', 'class="Lq"'))}`)}`,
    files: { 'c.xml': child() },
    joints: ['Lcj:slide', 'j:ball'],
  },
  {
    rule: 'classes of an attached child are not there before it',
    main: `${childAsset}${world(`${body('x', joint('j', 'class="Lq"'))}<attach model="c" prefix="L"/>`)}`,
    files: { 'c.xml': child() },
    joints: null,
  },
  {
    rule: 'attached without a prefix, the main class of the child holds for what follows',
    main: `${childAsset}${world(`${body('x', joint('j'))}<attach model="c" prefix=""/>${body('y', joint('k'))}`)}`,
    files: { 'c.xml': child() },
    joints: ['j:hinge', 'cj:slide', 'k:slide'],
  },
  {
    rule: 'of two classes with one name a class attribute means the first and a childclass the last',
    main: `<default><default class="q"><joint type="slide"/></default></default>${childAsset}${world(
      `<attach model="c" prefix=""/>${body('x', joint('j', 'class="q"'))}${body('y', joint('k'), 'childclass="q"')}`,
    )}`,
    files: { 'c.xml': child() },
    joints: ['cj:slide', 'j:slide', 'k:ball'],
  },
  {
    rule: 'a freejoint in a frame may name a class that exists, and is free whatever it says',
    main: `<default><default class="q"><joint type="slide"/></default></default>
      ${world(body('x', '<frame><freejoint name="j" class="q"/></frame>'))}`,
    joints: ['j:free'],
  },
  {
    rule: 'a freejoint in a frame may not name a class that does not exist',
    main: world(body('x', '<frame><freejoint name="j" class="q"/></frame>')),
    joints: null,
  },
  // MuJoCo checks no attributes of a frame, of a replicate, and of what is in one.
  ...places.map(
    (place): SpecCase => ({
      rule: `a class is a childclass on ${place.where}`,
      main: `${slideAndBall}${world(place.of('class="s"'))}`,
      joints: [`${place.joint}:slide`],
    }),
  ),
  ...places.map(
    (place): SpecCase => ({
      rule: `a childclass goes before a class on ${place.where}`,
      main: `${slideAndBall}${world(place.of('class="s" childclass="b"'))}`,
      joints: [`${place.joint}:ball`],
    }),
  ),
  ...places.flatMap((place) =>
    ['class="z"', 'class=""', 'class="z" childclass="b"'].map(
      (attributes): SpecCase => ({
        rule: `${attributes} is refused on ${place.where}`,
        main: `${slideAndBall}${world(place.of(attributes))}`,
        joints: null,
      }),
    ),
  ),
  {
    rule: 'a class on a body that is in no frame is refused',
    main: `${slideAndBall}${world(body('x', joint('j'), 'class="s"'))}`,
    joints: null,
  },
  {
    rule: 'a class on a frame goes before the childclass of its body, and a frame in it has it too',
    main: `${slideAndBall}${world(body('x', `<frame class="s"><frame>${joint('j')}</frame></frame>`, 'childclass="b"'))}`,
    joints: ['j:slide'],
  },
  ...['<inertial pos="0 0 0" mass="1" diaginertia="1 1 1" class="z"/>', '<geom size=".1" class="z"/>'].map(
    (element): SpecCase => ({
      rule: `an element of a body in a frame names no class that does not exist: ${element}`,
      main: world(`<frame>${body('x', joint('j') + element)}</frame>`),
      joints: null,
    }),
  ),
  {
    rule: 'an inertia of a body in a frame may name a class',
    main: `${slideAndBall}${world(`<frame>${body('x', `${joint('j')}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1" class="s"/>`)}</frame>`)}`,
    joints: ['j:hinge'],
  },
  {
    rule: 'of two classes with one name a class of a frame means the last for what is in it, as a childclass does',
    main: `<default><default class="q"><joint type="slide"/></default></default>${childAsset}${world(
      `<attach model="c" prefix=""/><frame class="q">${body('x', joint('j'))}</frame>`,
    )}`,
    files: { 'c.xml': child() },
    joints: ['cj:slide', 'j:ball'],
  },
]
