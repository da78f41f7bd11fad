import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * The first words before everything: a browser shows nothing while a file of styles in the head is under way. The files
 * follow the words, styles before scripts, of which a browser reads six at a time.
 */
const wordsFirst: Plugin = {
  name: 'words-first',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const styles = html.match(/ *<link rel="stylesheet".*>\n/g) ?? []
      const scripts = html.match(/ *<(script type="module"|link rel="modulepreload").*>\n/g) ?? []
      const files = [...styles, ...scripts]
      const words = files.reduce((rest, file) => rest.replace(file, ''), html)
      return words.replace('  </body>', () => `${files.join('')}  </body>`)
    },
  },
}

/**
 * What several screens share is in one file: a screen of thirty small files takes longer than its bytes do, and most
 * screens need most of it.
 */
const shared = { name: 'shared', test: /console[\\/](parts|design|lists|api|session)[\\/]/, minShareCount: 4 }

/** `npm run build` and the first `npm start` build the console into `console/dist`; the API serves it under `/console`. */
// oxlint-disable-next-line import/no-default-export -- Vite reads the default export
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' }, wordsFirst],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // The policy of the page allows no `data:` addresses for fonts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: [shared] } } },
  },
})
