import { body, type RuleCase, world } from './rule-case.ts'

const model = `<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>${world(
  `${body('<joint name="j" range="-1 1"/><joint name="slide" type="slide"/><site name="s"/><camera name="c"/><camera name="blind" resolution="0 0"/><geom name="g" size=".1"/>', 'name="A"')}
   ${body('<joint name="ball" type="ball"/><geom name="k" size=".1"/>', 'name="B"')}${body('<freejoint name="free"/>', 'name="C"')}
   <geom name="hills" type="hfield" hfield="h"/>`,
)}<tendon><fixed name="ten" range="0 1"><joint joint="j" coef="1"/></fixed><fixed name="loose"><joint joint="j" coef="1"/></fixed></tendon>
<actuator><motor name="m" joint="j"/></actuator>`
const sensor = (inner: string) => `${model}<sensor>${inner}</sensor>`

/** Bodies without joints, which become part of their parents. */
const fused = (inner: string) =>
  `<compiler fusestatic="true"/>${world(`${body('', 'name="top"')}${body(`<joint/>${body('<site name="s"/>', 'name="hand"')}`, 'name="arm"')}`)}${inner}`

/** Sensors. */
export const SENSOR_CASES: readonly RuleCase[] = [
  {
    rule: 'a sensor senses what exists',
    refused: [
      sensor('<touch site="none"/>'),
      sensor('<gyro site=""/>'),
      sensor('<jointpos joint="none"/>'),
      sensor('<tendonpos tendon="none"/>'),
      sensor('<actuatorfrc actuator="none"/>'),
      sensor('<subtreecom body="none"/>'),
      sensor('<framepos objtype="site" objname="none"/>'),
      sensor('<framepos objtype="geom" objname="A"/>'),
      sensor('<framepos objtype="body" objname=""/>'),
      sensor('<framepos objtype="body" objname="A" reftype="site" refname="none"/>'),
      sensor('<rangefinder site="none"/>'),
      sensor('<rangefinder camera="none"/>'),
      sensor('<insidesite site="none" objtype="body" objname="A"/>'),
      sensor('<insidesite site="s" objtype="body" objname="none"/>'),
      sensor('<camprojection site="s" camera="none"/>'),
      sensor('<distance geom1="g" geom2="none"/>'),
      sensor('<contact geom1="none"/>'),
      sensor('<contact subtree1="none"/>'),
      sensor('<contact geom1="g" subtree2="none"/>'),
      sensor('<user dim="1" objtype="body" objname="none"/>'),
      sensor('<tactile geom="g" mesh="none"/>'),
    ],
    accepted: [
      sensor('<touch site="s"/>'),
      sensor('<jointpos joint="j"/>'),
      sensor('<tendonpos tendon="ten"/>'),
      sensor('<actuatorfrc actuator="m"/>'),
      sensor('<subtreecom body="world"/>'),
      sensor('<framepos objtype="xbody" objname="A" reftype="camera" refname="c"/>'),
      sensor('<rangefinder camera="c"/>'),
      sensor('<insidesite site="s" objtype="body" objname="A"/>'),
      sensor('<distance geom1="g" body2="B"/>'),
      sensor('<contact/>'),
      sensor('<contact subtree1="A" body2="B"/>'),
      sensor('<contact site="s"/>'),
      sensor('<clock/>'),
      sensor('<e_potential/>'),
      sensor('<user dim="1"/>'),
      sensor('<user dim="1" objtype="made-up" objname="A"/>'),
      sensor('<user dim="1" objtype="actuator" objname="m"/>'),
    ],
  },
  {
    rule: 'a sensor of an xbody or a subtree keeps no body from being fused, and is lost with it; one of a body keeps it',
    refused: [
      fused('<sensor><framepos objtype="xbody" objname="top"/></sensor>'),
      fused('<sensor><framepos objtype="body" objname="arm" reftype="xbody" refname="hand"/></sensor>'),
      fused('<sensor><contact subtree1="hand"/></sensor>'),
      fused('<sensor><user dim="1" objtype="xbody" objname="hand"/></sensor>'),
      fused('<sensor><insidesite site="s" objtype="xbody" objname="top"/></sensor>'),
      fused('<custom><tuple name="t"><element objtype="xbody" objname="top"/></tuple></custom>'),
    ],
    accepted: [
      fused('<sensor><framepos objtype="body" objname="top"/></sensor>'),
      fused('<sensor><framepos objtype="xbody" objname="arm"/></sensor>'),
      fused('<sensor><framepos objtype="xbody" objname="hand"/><subtreecom body="hand"/></sensor>'),
      fused('<sensor><distance body1="top" body2="hand"/></sensor>'),
      fused('<sensor><contact body1="top"/></sensor>'),
      fused('<custom><tuple name="t"><element objtype="body" objname="top"/></tuple></custom>'),
    ],
  },
  {
    rule: 'joint sensors are of hinges and slides, ball sensors of balls',
    refused: [
      sensor('<jointpos joint="ball"/>'),
      sensor('<jointvel joint="free"/>'),
      sensor('<jointactuatorfrc joint="ball"/>'),
      sensor('<ballquat joint="j"/>'),
      sensor('<ballangvel joint="free"/>'),
    ],
    accepted: [sensor('<jointvel joint="slide"/>'), sensor('<ballquat joint="ball"/>')],
  },
  {
    rule: 'limit sensors are of what is limited',
    refused: [
      sensor('<jointlimitpos joint="slide"/>'),
      sensor('<jointlimitfrc joint="free"/>'),
      sensor('<tendonlimitvel tendon="loose"/>'),
    ],
    accepted: [sensor('<jointlimitpos joint="j"/>'), sensor('<tendonlimitfrc tendon="ten"/>')],
  },
  {
    rule: 'distances are between two different things that are not height fields',
    refused: [
      sensor('<distance geom1="g" geom2="g"/>'),
      sensor('<fromto body1="A" body2="A"/>'),
      sensor('<normal geom1="g" geom2="hills"/>'),
    ],
    accepted: [sensor('<distance geom1="g" geom2="k"/>'), sensor('<distance body1="A" geom2="g"/>')],
  },
  {
    rule: 'a camera projection has a resolution',
    refused: [sensor('<camprojection site="s" camera="blind"/>')],
    accepted: [sensor('<camprojection site="s" camera="c"/>')],
  },
  {
    rule: 'noise, cutoff, interval and delay are in their ranges',
    refused: [
      sensor('<clock noise="-1"/>'),
      sensor('<clock cutoff="-1"/>'),
      sensor('<clock interval="-1"/>'),
      sensor('<clock interval="1 1"/>'),
      sensor('<clock interval="1 -1"/>'),
      sensor('<clock delay="1"/>'),
      sensor('<clock nsample="16777217"/>'),
      sensor('<framequat objtype="body" objname="A" cutoff="1"/>'),
      sensor('<framexaxis objtype="body" objname="A" cutoff="1"/>'),
      sensor('<ballquat joint="ball" cutoff="1"/>'),
      sensor('<user dim="3" datatype="axis" cutoff="1"/>'),
    ],
    accepted: [
      sensor('<clock interval="1 -.5" cutoff="1" noise="1"/>'),
      sensor('<clock delay="1" nsample="2"/>'),
      sensor('<normal geom1="g" geom2="k" cutoff="1"/>'),
    ],
  },
  {
    rule: 'a user sensor has the dim of its datatype',
    refused: [
      sensor('<user dim="-1"/>'),
      sensor('<user dim="2" datatype="axis"/>'),
      sensor('<user dim="3" datatype="quaternion"/>'),
    ],
    accepted: [
      sensor('<user dim="0"/>'),
      sensor('<user dim="4" datatype="quaternion"/>'),
      sensor('<user dim="2" datatype="positive"/>'),
    ],
  },
  {
    rule: 'a history needs a time step',
    refused: [`<option timestep="0"/>${sensor('<clock nsample="2"/>')}`],
    accepted: [
      `<option timestep="0"/>${sensor('<clock/>')}`,
      `<option timestep=".1"/>${sensor('<clock nsample="2"/>')}`,
    ],
  },
]
