import { assertThat } from '../errors.ts'

/** Rejects models that are not configured, and a fallback equal to the model: VALIDATION_ERROR. */
export function assertModels(
  { model, fallbackModel }: { model: string | null; fallbackModel: string | null },
  models: { has(name: string): boolean; defaultModel: string },
): void {
  const unknown = Object.entries({ model, fallbackModel }).filter(([, name]) => name !== null && !models.has(name))
  assertThat(unknown.length === 0, 'VALIDATION_ERROR', {
    message: `There is no model named ${unknown.map(([, name]) => JSON.stringify(name)).join(' or ')}.`,
    details: unknown.map(([path]) => ({ path, message: 'must be the name of an available model (see GET /models)' })),
  })
  const message = 'The fallback model must differ from the model.'
  const same = fallbackModel !== null && fallbackModel === (model ?? models.defaultModel)
  assertThat(!same, 'VALIDATION_ERROR', { message, details: [{ path: 'fallbackModel', message }] })
}
