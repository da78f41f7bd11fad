import type { Api } from '../../../api/client.ts'

/** The models to choose from. The chosen one stays even if the installation no longer has it. */
export function modelChoices(models: readonly Pick<Api['Model'], 'name'>[], chosen: string, none: string) {
  const names = models.map(({ name }) => name)
  const gone = chosen === '' || names.includes(chosen) ? [] : [chosen]
  return [{ value: '', text: none }, ...[...names, ...gone].map((name) => ({ value: name, text: name }))]
}
