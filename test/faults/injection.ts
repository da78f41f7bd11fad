import type { Fault } from './fault.ts'

const reach = 'test/models/injection/reach.test.ts'

/** What models read and say: secrets, and the words of strangers. */
export const injection: Fault[] = [
  {
    id: 'injection/descriptions-unlabelled',
    file: 'src/models/ask.ts',
    find: 'description: describeTool(tool),',
    replace: 'description: tool.description,',
    why: 'what a site writes stands in the prompt like the words of the platform',
    tests: ['test/src/models/tool-texts.test.ts'],
  },
  {
    id: 'injection/prompt-with-secrets',
    file: 'src/runs/step/ask-step.ts',
    find: 'hiddenTranscript({ ...found, missingSites: offer.missing }, hiding)',
    replace: '({ ...found, missingSites: offer.missing })',
    why: 'a token that a payload holds goes to the model and its provider',
    tests: [reach],
  },
  {
    id: 'injection/answer-with-secrets',
    file: 'src/models/models.ts',
    find: 'readAnswer(hiddenAnswer(raw, hiding),',
    replace: 'readAnswer(raw,',
    why: 'a key that the provider knows stands in the timeline and goes to sites',
    tests: [reach],
  },
  {
    id: 'injection/own-secrets-unknown',
    file: 'src/runs/step/ask-step.ts',
    find: 'const hiding = models.hiding([...secrets, ...offer.tokens])',
    replace: 'const hiding = models.hiding([])',
    why: "the agent's own secrets go to the model",
    tests: [reach],
  },
  {
    id: 'injection/words-of-the-unseen',
    file: 'src/models/fence.ts',
    find: 'const clean = visible(text.toWellFormed())',
    replace: 'const clean = text.toWellFormed()',
    why: 'a payload holds words that only the model reads',
    tests: ['test/src/models/fence.test.ts'],
  },
  {
    id: 'injection/pieces-not-kept-back',
    file: 'src/hiding/hiding.ts',
    find: 'const open = findOpen(units)',
    replace: 'const open = units.length',
    why: 'who watches a run sees a secret that comes in two pieces',
    tests: ['test/src/hiding/hiding.test.ts'],
  },
  {
    id: 'injection/divided-secrets',
    file: 'src/models/hidden.ts',
    find: 'if (isClean && !isAcross(recorded, hiding)) return answer',
    replace: 'if (isClean) return answer',
    why: 'a secret that a model divides over two parts of its answer is recorded and sent on',
    tests: ['test/src/models/hidden.test.ts'],
  },
  {
    id: 'injection/divided-secrets-sent-back',
    file: 'src/models/hidden.ts',
    find: 'hiding.text(content) !== content || isAcross(parts, hiding)',
    replace: 'hiding.text(content) !== content',
    why: 'parts of an answer that were kept give a secret away that became known later',
    tests: ['test/src/models/hidden.test.ts'],
  },
  {
    id: 'injection/cut-within-an-escape',
    file: 'src/models/tool-texts.ts',
    find: 'if (end + sign.length + 2 > most) break',
    replace: 'if (end + 2 > most) break',
    why: 'a description is longer than OpenAI takes, and every request with it fails',
    tests: ['test/src/models/tool-texts.test.ts'],
  },
  {
    id: 'injection/run-taken-for-a-sign',
    file: 'src/models/visible.ts',
    find: 'before < 0 ? follows : isHalf(',
    replace: 'before < 0 || isHalf(',
    why: 'bits that are written in joiners are read by the model alone',
    tests: ['test/src/models/visible.test.ts'],
  },
]
