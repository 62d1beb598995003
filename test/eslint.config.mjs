import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import hooks from 'eslint-plugin-react-hooks';
import globals from 'globals';

const root = fileURLToPath(new URL('..', import.meta.url));

export default tseslint.config(
  {
    basePath: root,
    ignores: [
      'node_modules/**',
      'out/**',
      '.cache/**',
      'coverage/**',
      'test/fixtures/**',
      'test/engine/**',
      'sandbox/**/*.py',
      'test-results/**',
      'playwright-report/**',
    ],
  },
  js.configs.recommended,
  {
    basePath: root,
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'electron', message: 'Electron has one home: src/main/hosts/electron and src/preload.' }] },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  { basePath: root, files: ['src/main/hosts/electron/**', 'src/preload/**'], rules: { 'no-restricted-imports': 'off' } },
  { basePath: root, files: ['src/main/hosts/cli/**', 'test/**', 'src/main/**/*.child.ts'], rules: { 'no-console': 'off' } },
  {
    basePath: root,
    files: ['src/renderer/**/*.ts', 'src/renderer/**/*.tsx'],
    plugins: { 'react-hooks': hooks },
    rules: { ...hooks.configs.recommended.rules, 'react-hooks/incompatible-library': 'off' },
  },
  { basePath: root, files: ['**/*.mjs', '**/*.js', '**/*.cjs'], languageOptions: { globals: globals.node } },
  { basePath: root, files: ['sandbox/renderer/**'], languageOptions: { globals: { ...globals.browser, ...globals.worker } } },
);
