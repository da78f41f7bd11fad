import * as v from 'valibot'
import { onlyMembers } from '../config/only-members.ts'
import { isObject } from '../json.ts'
import { triggers } from '../runs/run.ts'

/** The format of a template file (docs/how-to/templates.md). Creating the agent checks its fields again. */

const text = (max: number) =>
  v.pipe(v.string(), v.nonEmpty('must not be empty'), v.maxLength(max, `must have at most ${max} characters`))
const list = <Item extends v.GenericSchema>(item: Item, max: number) =>
  v.pipe(v.array(item), v.maxLength(max, `must have at most ${max} items`))

const toolNames = list(text(64), 200)

const site = v.pipe(
  onlyMembers({
    /** The id of a site in the catalogue. */
    site: text(64),
    tools: toolNames,
    askFirst: v.optional(toolNames, []),
  }),
  v.check(
    ({ tools, askFirst }) => askFirst.every((tool) => tools.includes(tool)),
    'lists a tool in askFirst that is missing in tools',
  ),
)

const webhookField = onlyMembers({
  name: text(200),
  type: v.picklist(['string', 'number', 'boolean', 'object', 'array']),
  required: v.optional(v.boolean(), true),
  description: v.optional(text(1000)),
})

const isSample = (value: unknown): boolean => isObject(value) || (typeof value === 'string' && value !== '')

export const templateFile = onlyMembers({
  name: text(200),
  title: text(100),
  description: text(1000),
  systemPrompt: text(20_000),
  trigger: v.picklist(triggers),
  cron: v.optional(text(200)),
  timeZone: v.optional(text(64)),
  webhookSchema: v.optional(list(webhookField, 100)),
  /** The JSON Schema that answers must match. */
  outputSchema: v.optional(v.custom<Record<string, unknown>>(isObject, 'must be an object')),
  sites: list(site, 50),
  /** The payload or the input of the first run. */
  sample: v.optional(
    v.custom<Record<string, unknown> | string>(isSample, 'must be an object or a string that is not empty'),
  ),
})

/** An agent to start from. `id` is the name of its file without the extension. */
export type Template = v.InferOutput<typeof templateFile> & { id: string }
