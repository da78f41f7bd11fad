import { fileURLToPath } from 'node:url'
import type * as v from 'valibot'
import { assertTrigger } from '../agents/agent-fields.ts'
import { readJsonFolder } from '../config/json-folder.ts'
import { isCoded } from '../errors.ts'
import { factsOfPayload } from '../webhooks/payload-facts.ts'
import { templateFile, type Template } from './template-format.ts'

/** The templates that come with the platform. */
const ownFolder = fileURLToPath(new URL('../../examples/templates/', import.meta.url))

/** The templates in a folder, in the order of their ids. Throws a ConfigError that names every problem with its file. */
export const readTemplates = (folder = ownFolder): Template[] =>
  readJsonFolder(folder, { what: 'template', schema: templateFile, most: 100, contradictions }).map(
    ({ id, content }) => ({ id, ...content }),
  )

type Written = v.InferOutput<typeof templateFile>

const contradictions = (template: Written): string[] => [...scheduleProblems(template), ...sampleProblems(template)]

function scheduleProblems({ trigger, cron, timeZone }: Written): string[] {
  try {
    assertTrigger({ trigger, cron: cron ?? null, timeZone: timeZone ?? null })
    return []
  } catch (error) {
    if (!isCoded(error, 'VALIDATION_ERROR')) throw error
    return [error.message]
  }
}

/** A webhook agent receives its sample as a delivery. */
function sampleProblems({ trigger, webhookSchema, sample }: Written): string[] {
  if (trigger !== 'webhook') return []
  if (typeof sample !== 'object') return ['sample must be an object, because the trigger is webhook']
  const facts = factsOfPayload({ text: JSON.stringify(sample), schema: webhookSchema ?? null })
  if ('problem' in facts) return [facts.problem]
  return facts.mismatches.map(({ path, message }) => `sample.${path} does not match webhookSchema. ${message}`)
}
