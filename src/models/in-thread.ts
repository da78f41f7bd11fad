import { hidingOf } from '../hiding/hiding-cache.ts'
import type { HiddenJson } from '../hiding/in-thread.ts'
import type { RawAnswer } from './collect-answer.ts'
import { hiddenContent } from './hidden-transcript.ts'

/** The parts of a model's answer with secrets masked; null if they contain none. */
export const hideContent = async ({ json, secrets }: HiddenJson): Promise<RawAnswer['content'] | null> =>
  hiddenContent(JSON.parse(json) as RawAnswer['content'], await hidingOf(secrets))
