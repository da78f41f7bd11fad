import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Config } from '../config/config.ts'
import { createDemoModel } from './demo/demo-model.ts'

/** The one place that decides which model answers. Always an object: a bare name would go to the AI SDK's gateway. */
export function chooseModel(config: Config): LanguageModelV4 {
  return createDemoModel({ directives: config.models.demoDirectives })
}
