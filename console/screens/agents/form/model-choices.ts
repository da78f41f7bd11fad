import type { Api } from '../../../api/client.ts'

/** In place of a name, since a choice needs a value. No model is named so. */
export const noModel = ':none'

/** The models to choose from. The chosen one stays even if the installation no longer has it. */
export function modelChoices(models: readonly Pick<Api['Model'], 'name'>[], chosen: string, none: string) {
  const names = models.map(({ name }) => name)
  const gone = chosen === '' || names.includes(chosen) ? [] : [chosen]
  return [{ value: noModel, text: none }, ...[...names, ...gone].map((name) => ({ value: name, text: name }))]
}

export const choiceOf = (model: string): string => model || noModel
export const modelOf = (choice: string): string => (choice === noModel ? '' : choice)
