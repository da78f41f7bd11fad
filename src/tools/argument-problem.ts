import { isCoded, problemInWords, type ErrorDetail } from '../errors.ts'
import type { Sites } from '../sites/sites.ts'

/** Why a model's arguments do not match a tool's input schema, as a sentence for the model; undefined if they do. */
export async function argumentProblem(
  sites: Pick<Sites, 'argumentProblems'>,
  schema: unknown,
  args: string,
  ownerId: string,
): Promise<string | undefined> {
  const problems = await sites.argumentProblems(schema, args, ownerId).catch((error: unknown): ErrorDetail[] => {
    // An unusable schema is the site's fault, which the model cannot know.
    if (isCoded(error, 'MANIFEST_INVALID')) return [{ path: '', message: error.message }]
    throw error
  })
  if (problems.length === 0) return undefined
  return `The arguments do not match the tool's input schema: ${problems.map(problemInWords).join('; ')}`
}
