// What the page uses of the charts of the reports, and of the module; for the check of types only.
declare const wasm_bindgen: {
  (options: { module_or_path: ArrayBuffer }): Promise<unknown>;
  Scene: new (description: string) => {
    world(): string;
    step(steps: number): void;
    seek_episode(agent: number, onlyExploratory: boolean, most: number): boolean;
    snapshot(): string;
    episodes(agent: number, from: number): string;
    curve(agent: number): string;
    explain(agent: number, state: number): string;
    record(agent: number): string;
    save(): string;
    restore(saved: string): void;
    free(): void;
  };
  catalogue(): string;
};
declare const make: (tag: string, attributes?: object, parent?: Element | null, text?: string) => any;
declare const colour: (index: number) => string;
declare const shown: (value: number | null | undefined) => string;
declare const tool: (parent: Element, name: string, act: () => void) => HTMLButtonElement;
declare const tip: (chart: Element, at: number[] | null, title?: string, rows?: [number | null, string, string][]) => void;
declare const save: (name: string, type: string, text: string) => void;
declare const curvesChart: (host: Element, spec: object) => () => void;
