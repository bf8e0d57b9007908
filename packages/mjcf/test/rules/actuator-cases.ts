import { body, type RuleCase, world } from './rule-case.ts'

const model = `${world(
  `${body('<joint name="j" range="-1 1"/><joint name="free" type="slide"/><site name="s"/><site name="t" pos="1 0 0"/>', 'name="A"')}
   ${body('<joint name="ball" type="ball"/>', 'name="B"')}`,
)}<tendon><fixed name="ten" range="0 1"><joint joint="j" coef="1"/></fixed></tendon>`
const actuator = (inner: string, before = '') => `${before}${model}<actuator>${inner}</actuator>`

/** Actuators: transmissions, shortcuts, types, ranges, activations. */
export const ACTUATOR_CASES: readonly RuleCase[] = [
  {
    rule: 'an actuator drives something that exists',
    refused: [
      actuator('<motor/>'),
      actuator('<motor joint="none"/>'),
      actuator('<motor joint=""/>'),
      actuator('<motor joint="jj"/>'),
      actuator('<motor tendon="none"/>'),
      actuator('<motor site="none"/>'),
      actuator('<motor jointinparent="none"/>'),
      actuator('<adhesion body="none" ctrlrange="0 1"/>'),
      actuator('<motor site="s" refsite="none"/>'),
      actuator('<general cranksite="s" cranklength="1" slidersite="none"/>'),
      actuator('<general cranksite="none" cranklength="1" slidersite="t"/>'),
    ],
    accepted: [
      actuator('<motor joint="j"/>'),
      actuator('<motor joint="ball"/>'),
      actuator('<motor jointinparent="ball"/>'),
      actuator('<motor tendon="ten"/>'),
      actuator('<motor site="s"/>'),
      actuator('<motor site="s" refsite="t"/>'),
      actuator('<adhesion body="A" ctrlrange="0 1"/>'),
      actuator('<adhesion body="world" ctrlrange="0 1"/>'),
      actuator('<general cranksite="s" cranklength="1" slidersite="t"/>'),
    ],
  },
  {
    rule: 'a slider-crank has a slidersite and a positive cranklength',
    refused: [
      actuator('<general cranksite="s" cranklength="1"/>'),
      actuator('<general cranksite="s" slidersite="t"/>'),
      actuator('<general cranksite="s" slidersite="t" cranklength="0"/>'),
      actuator('<general cranksite="s" slidersite="" cranklength="1"/>'),
    ],
    accepted: [
      actuator('<motor cranksite="s" slidersite="t" cranklength=".1"/>'),
      actuator('<motor cranksite="s" slidersite="t"/>', '<default><general cranklength=".1"/></default>'),
    ],
  },
  {
    rule: 'damping and armature are of joints and tendons',
    refused: [actuator('<motor site="s" damping="1"/>'), actuator('<motor site="s" armature="1"/>')],
    accepted: [actuator('<motor joint="j" damping="1" armature="1"/>'), actuator('<motor site="s" damping="0"/>')],
  },
  {
    rule: 'limited ranges ascend, and are said to limit where autolimits is off',
    refused: [
      actuator('<motor joint="j" ctrllimited="true"/>'),
      actuator('<motor joint="j" ctrllimited="true" ctrlrange="1 -1"/>'),
      actuator('<motor joint="j" forcelimited="true"/>'),
      actuator('<general joint="j" dyntype="filter" actlimited="true"/>'),
      actuator('<motor joint="j" ctrlrange="-1 1"/>', '<compiler autolimits="false"/>'),
      actuator('<motor joint="j" forcerange="-1 1"/>', '<compiler autolimits="false"/>'),
      actuator('<adhesion body="A"/>'),
      actuator('<damper joint="j" kv="1"/>'),
    ],
    accepted: [
      actuator('<motor joint="j" ctrlrange="1 -1"/>'),
      actuator('<motor joint="j" ctrlrange="-1 1"/>'),
      actuator('<motor joint="j" ctrllimited="false" ctrlrange="1 -1"/>'),
      actuator('<damper joint="j" kv="1" ctrlrange="0 1"/>'),
      actuator('<motor joint="j" ctrllimited="true"/>', '<default><motor ctrlrange="-1 1"/></default>'),
    ],
  },
  {
    rule: 'only an activation can have an actrange',
    refused: [
      actuator('<general joint="j" actrange="-1 1"/>'),
      actuator('<general joint="j" actlimited="true" actrange="-1 1"/>'),
    ],
    accepted: [
      actuator('<general joint="j" dyntype="integrator" actrange="-1 1"/>'),
      actuator('<general joint="j" actrange="-1 1" actlimited="false"/>'),
    ],
  },
  {
    rule: 'actdim goes with the dyntype',
    refused: [
      actuator('<general joint="j" dyntype="filter" actdim="2"/>'),
      actuator('<general joint="j" actdim="1"/>'),
      actuator('<general joint="j" dyntype="filter" actdim="0"/>'),
    ],
    accepted: [
      actuator('<general joint="j" dyntype="user" actdim="2"/>'),
      actuator('<general joint="j" dyntype="filter" actdim="1"/>'),
      actuator('<general joint="j" actdim="0"/>'),
      actuator('<general joint="j" dyntype="user"/>'),
    ],
  },
  {
    rule: 'gains of servos are not negative, and damping is said once',
    refused: [
      actuator('<position joint="j" kv="-1"/>'),
      actuator('<position joint="j" kv="1" dampratio="1"/>'),
      actuator('<position joint="j" dampratio="-1"/>'),
      actuator('<position joint="j" timeconst="-1"/>'),
      actuator('<damper joint="j" kv="-1" ctrlrange="0 1"/>'),
      actuator('<damper joint="j" kv="1" ctrlrange="-1 1"/>'),
      actuator('<adhesion body="A" gain="-1" ctrlrange="0 1"/>'),
      actuator('<adhesion body="A" ctrlrange="-1 1"/>'),
      actuator('<motor joint="j"/>', '<default><default class="d"><position kv="-1"/></default></default>'),
    ],
    accepted: [
      actuator('<position joint="j" kp="-1"/>'),
      actuator('<velocity joint="j" kv="-1"/>'),
      actuator('<position joint="j" kp="1" kv="1"/>'),
      actuator('<position joint="j" kp="1" dampratio="1"/>'),
      actuator('<intvelocity joint="j" kp="1" kv="-1"/>'),
      actuator('<intvelocity joint="j" kp="1" kv="1" dampratio="1"/>'),
    ],
  },
  {
    rule: 'inheritrange takes the range of a joint or tendon that has one',
    refused: [
      actuator('<position joint="free" inheritrange="1"/>'),
      actuator('<position joint="ball" inheritrange="1"/>'),
      actuator('<position site="s" inheritrange="1"/>'),
      actuator('<position joint="j" inheritrange="1" ctrlrange="-1 1"/>'),
      actuator('<intvelocity joint="j" inheritrange="1" actrange="-1 1"/>'),
      actuator('<position jointinparent="j" inheritrange="1"/>'),
    ],
    accepted: [
      actuator('<position joint="j" inheritrange="1"/>'),
      actuator('<position tendon="ten" inheritrange=".5"/>'),
      actuator('<intvelocity joint="j" inheritrange="1"/>'),
      actuator('<position joint="free" inheritrange="0"/>'),
      actuator('<position joint="j" timeconst="1" inheritrange="1"/>'),
      actuator('<position joint="j" ctrllimited="true" inheritrange="1"/>'),
    ],
  },
  {
    rule: 'a muscle has lengths, forces and velocities that make sense',
    refused: [
      actuator('<muscle joint="j" range="1 .5"/>'),
      actuator('<muscle joint="j" lmin="1"/>'),
      actuator('<muscle joint="j" lmax=".9"/>'),
      actuator('<muscle joint="j" scale="0"/>'),
      actuator('<muscle joint="j" tausmooth="-1"/>'),
      actuator('<general joint="j" gaintype="muscle"/>'),
    ],
    accepted: [
      actuator('<muscle joint="j" lengthrange="0 1"/>'),
      actuator('<muscle joint="j" lengthrange="0 1" range=".5 1.1" force="10"/>'),
    ],
  },
  {
    rule: 'a delay needs a history',
    refused: [actuator('<motor joint="j" delay="1"/>'), actuator('<motor joint="j" nsample="16777217"/>')],
    accepted: [actuator('<motor joint="j" delay="1" nsample="2"/>'), actuator('<motor joint="j" nsample="2"/>')],
  },
  {
    rule: 'an orientation servo drives a ball joint, or a site with a refsite',
    refused: [
      actuator('<orientation joint="j" kp="1"/>'),
      actuator('<orientation site="s" kp="1"/>'),
      actuator('<orientation joint="ball" kp="1" kv="1" dampratio="1"/>'),
      actuator('<orientation joint="ball" kp="1" kv="-1"/>'),
      actuator('<orientation joint="ball" kp="1" forcerange="-1 1"/>'),
      actuator('<general joint="ball" gaintype="so3"/>'),
      actuator('<general joint="ball" gaintype="so3" biastype="so3" biasprm="0 1"/>'),
      actuator('<general joint="ball" gaintype="so3" biastype="so3" biasprm="0 -1" dyntype="filter"/>'),
      actuator('<general joint="ball" gaintype="so3" biastype="so3" biasprm="0 -1" dyntype="integrator" actdim="2"/>'),
      actuator(
        '<general joint="ball" gaintype="so3" biastype="so3" biasprm="0 -1" dyntype="integrator" input="quat"/>',
      ),
    ],
    accepted: [
      actuator('<orientation joint="ball" kp="1"/>'),
      actuator('<orientation joint="ball" kp="1" input="quat"/>'),
      actuator('<orientation site="s" refsite="t" kp="1"/>'),
      actuator('<orientation joint="ball" kp="1" forcerange="0 1"/>'),
      actuator('<general joint="ball" gaintype="so3" biastype="so3" biasprm="0 -1" dyntype="integrator"/>'),
    ],
  },
  {
    rule: 'a pid has the states and inputs that its gains ask for',
    refused: [
      actuator('<pid joint="j" kp="1" kv="1" dampratio="1"/>'),
      actuator('<pid joint="j" kp="1" kv="-1"/>'),
      actuator('<pid joint="j" kp="1" slewmax="-1"/>'),
      actuator('<pid joint="j" kp="1" ki="1" imax="-1"/>'),
      actuator('<pid joint="j" kp="1" ki="1" input="vel"/>'),
      actuator('<pid joint="j" kp="1" input="voltage"/>'),
      actuator('<pid joint="j" kp="1" input="none"/>'),
      actuator('<pid joint="j" kp="1" ki="-1"/>'),
      actuator('<pid joint="j" kp="1" ki="1" slewmax="1"/>'),
      actuator('<general joint="j" dyntype="pid"/>'),
      actuator('<general joint="j" gaintype="pid"/>'),
      actuator('<general joint="j" gaintype="pid" biastype="affine" dyntype="filter"/>'),
      actuator('<general joint="j" gaintype="pid" biastype="affine" gainprm="1"/>'),
    ],
    accepted: [
      actuator('<pid joint="j" kp="1"/>'),
      actuator('<pid joint="j" kp="1" ki="1"/>'),
      actuator('<pid joint="j" kp="1" slewmax="1"/>'),
      actuator('<pid joint="j" kp="1" input="pos"/>'),
      actuator('<pid joint="j" kp="1" input="pos vel ff"/>'),
      actuator('<pid joint="j" kp="1" input="vel"/>'),
      actuator('<pid joint="j" kp="1" inheritrange="1"/>'),
    ],
  },
  {
    rule: 'only so3, pid and DC motors choose their inputs',
    refused: [
      actuator('<general joint="j" input="pos"/>'),
      actuator('<general joint="j" input="none"/>'),
      actuator('<general joint="ball" input="quat"/>'),
    ],
    accepted: [actuator('<general joint="j"/>')],
  },
  {
    rule: 'a DC motor has a motor constant and a resistance, given or derived',
    refused: [
      actuator('<dcmotor joint="j"/>'),
      actuator('<dcmotor joint="j" motorconst="1"/>'),
      actuator('<dcmotor joint="j" resistance="1"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" inductance="-1"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" thermal="1"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" controller="1"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" controller="0 1" input="vel"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" controller="0 0 0 1"/>'),
    ],
    accepted: [
      actuator('<dcmotor joint="j" motorconst="1" resistance="1"/>'),
      actuator('<dcmotor joint="j" nominal="12 1 100"/>'),
      actuator('<dcmotor joint="j" motorconst="1 2" resistance="1" inductance=".1"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" thermal="1 1"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" thermal="1 0 2"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" lugre="1 1 1 1 1"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" controller="1 1 1 1" input="pos"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" controller="1" input="pos vel ff voltage"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" input="none"/>'),
      actuator('<dcmotor joint="j" motorconst="1" resistance="1" saturation="1"/>'),
    ],
  },
  {
    rule: 'activations are counted by the dynamics',
    refused: [
      actuator('<motor joint="j"/><general joint="j" dyntype="filter"/>').concat(
        '<keyframe><key act="1 2"/></keyframe>',
      ),
    ],
    accepted: [
      actuator('<motor joint="j"/><general joint="j" dyntype="filter"/>').concat(
        '<keyframe><key act="1" ctrl="1 2"/></keyframe>',
      ),
      actuator('<position joint="j" timeconst="1"/><position joint="j" timeconst="0"/>').concat(
        '<keyframe><key act="1" ctrl="1 2"/></keyframe>',
      ),
      actuator('<cylinder joint="j"/>').concat('<keyframe><key act="1"/></keyframe>'),
      actuator('<general joint="j"/>', '<default><position timeconst="1"/></default>').concat(
        '<keyframe><key act="1"/></keyframe>',
      ),
      actuator('<motor joint="j"/>', '<default><general dyntype="filter"/></default>').concat(
        '<keyframe><key ctrl="1"/></keyframe>',
      ),
      actuator('<adhesion body="A" ctrlrange="0 1"/>', '<default><general dyntype="filter"/></default>').concat(
        '<keyframe><key act="1"/></keyframe>',
      ),
    ],
  },
]
