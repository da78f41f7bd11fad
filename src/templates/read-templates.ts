import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { assertTrigger } from '../agents/agent-fields.ts'
import { ConfigError } from '../config/environment.ts'
import { expectedForm } from '../config/expected-form.ts'
import { readJsonFile } from '../config/json-file.ts'
import { placeOf } from '../config/only-members.ts'
import { isCoded } from '../errors.ts'
import { factsOfPayload } from '../webhooks/payload-facts.ts'
import { templateFile, type Template } from './template-format.ts'

/** The templates that come with the platform. */
const ownFolder = fileURLToPath(new URL('../../examples/templates/', import.meta.url))

/** The templates in a folder, in the order of their ids. Throws a ConfigError that names every problem with its file. */
export function readTemplates(folder = ownFolder): Template[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const results = files.toSorted().map((file) => readTemplate(folder, file))
  const problems = results.flatMap((result) => ('problems' in result ? result.problems : []))
  if (problems.length > 0) throw new ConfigError(problems)
  return results.flatMap((result) => ('template' in result ? [result.template] : []))
}

function readTemplate(folder: string, file: string): { template: Template } | { problems: string[] } {
  const path = join(folder, file)
  const id = file.replace(/\.json$/, '')
  if (!/^[a-z\d][a-z\d-]{0,63}$/.test(id))
    return { problems: [`${path}: the file name must have only lowercase letters, digits and hyphens`] }
  const written = readJsonFile(path)
  if ('problem' in written) return { problems: [`The template ${id} ${written.problem}`] }
  const { success, output, issues } = v.safeParse(templateFile, written.value, {
    message: expectedForm,
    abortPipeEarly: true,
  })
  const problems = success ? contradictions(output) : issues.map((issue) => `${placeOf(issue)} ${issue.message}`)
  if (!success || problems.length > 0) return { problems: problems.map((problem) => `${path}: ${problem}`) }
  return { template: { id, ...output } }
}

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
