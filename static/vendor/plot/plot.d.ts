export function plot(options: object): SVGSVGElement & { value?: any };
export function dot(data: any, options?: object): object;
export function boxY(data: any, options?: object): object;
export function axisX(...options: any[]): object;
export function axisY(...options: any[]): object;
export function gridY(...options: any[]): object;
