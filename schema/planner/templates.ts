/** Training templates, and the hyperparameters that the planner reads. Contract, "Planning and creating runs". */
import {
  type ListedTemplate,
  listTemplates,
  type TemplateHyperparameter,
  type TemplateList,
} from '../../src/planner/list-templates.ts'
import { builder } from '../builder.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { query } from '../root-field.ts'
import { TrainingMethodEnum } from './enums.ts'

const HyperparameterType = builder.objectRef<TemplateHyperparameter>('TemplateHyperparameter').implement({
  description: 'A hyperparameter that the planner reads: a whole number from 1 to 2147483647.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in `hyperparams`.' }),
    otherNames: t.exposeStringList('otherNames', {
      most: 2,
      description: 'Names that mean the same; the first one of all that a recipe has counts.',
    }),
    description: t.exposeString('description', { description: 'What its value means.' }),
    default: t.int({
      description: 'What the planner counts with where a recipe has none.',
      resolve: ({ preset }) => preset,
    }),
  }),
})

const TemplateType = builder.objectRef<ListedTemplate>('TrainingTemplate').implement({
  description: 'A template that a recipe may name.',
  fields: (t) => ({
    name: t.string({ description: 'What a recipe calls it.', resolve: ({ template }) => template.name }),
    modelFamily: t.string({
      description: 'Model family that it trains; `own` for a template of the deployment.',
      resolve: ({ template }) => template.family,
    }),
    controlClass: t.field({
      type: ControlClassEnum,
      description: 'Control class of the policy.',
      resolve: ({ template }) => template.controlClass,
    }),
    method: t.field({
      type: TrainingMethodEnum,
      description: 'Training method.',
      resolve: ({ template }) => template.method,
    }),
    implemented: t.boolean({
      description: 'False if the template is only planned: createRun then rejects it.',
      resolve: ({ template }) => template.isImplemented,
    }),
    hyperparameters: t.expose('hyperparameters', {
      most: 3,
      type: [HyperparameterType],
      description: 'Those that the planner reads. A recipe may have others, which the template gets unchanged.',
    }),
  }),
})

const TemplateListType = builder.objectRef<TemplateList>('TrainingTemplateList').implement({
  description: 'The training templates.',
  fields: (t) => ({
    items: t.expose('items', {
      most: 100,
      type: [TemplateType],
      description: "Those of the hub, then the deployment's own.",
    }),
  }),
})

query('trainingTemplates', {
  type: TemplateListType,
  description: 'The templates that a recipe may name, with the hyperparameters that the planner reads of each.',
  scope: 'none',
  read: (ctx) => listTemplates(ctx),
})
