// The grammar of the Common Expression Language (cel-spec, doc/langdef.md), cut into rules as cel-go cuts it:
// ANTLR's messages name what a rule expects at a place, so other rules would give other messages.
grammar Cel;

start : expr EOF ;

expr : conditionalOr (op='?' conditionalOr ':' expr)? ;

conditionalOr : conditionalAnd (ops+='||' conditionalAnd)* ;

conditionalAnd : relation (ops+='&&' relation)* ;

relation
    : calc
    | relation op=('<' | '<=' | '>=' | '>' | '==' | '!=' | 'in') relation
    ;

calc
    : unary
    | calc op=('*' | '/' | '%') calc
    | calc op=('+' | '-') calc
    ;

unary
    : member            # MemberExpr
    | (ops+='!')+ member # LogicalNot
    | (ops+='-')+ member # Negate
    ;

member
    : primary                                             # PrimaryExpr
    | member op='.' (opt='?')? field=escapeIdent          # Select
    | member op='.' name=IDENTIFIER paren='(' args=exprList? ')' # MemberCall
    | member op='[' (opt='?')? index=expr ']'             # Index
    ;

primary
    : leadingDot='.'? name=IDENTIFIER                                # Ident
    | leadingDot='.'? name=IDENTIFIER (op='(' args=exprList? ')')    # GlobalCall
    | '(' expr ')'                                                 # Nested
    | op='[' elems=listInit? ','? ']'                              # CreateList
    | op='{' entries=mapInitializerList? ','? '}'                  # CreateMap
    | leadingDot='.'? ids+=IDENTIFIER (ops+='.' ids+=IDENTIFIER)*
        op='{' entries=fieldInitializerList? ','? '}'              # CreateMessage
    | literal                                                      # Constant
    ;

exprList : expr (',' expr)* ;

listInit : optExpr (',' optExpr)* ;

fieldInitializerList : fields+=optField cols+=':' values+=expr (',' fields+=optField cols+=':' values+=expr)* ;

optField : (opt='?')? escapeIdent ;

mapInitializerList : keys+=optExpr cols+=':' values+=expr (',' keys+=optExpr cols+=':' values+=expr)* ;

escapeIdent
    : name=IDENTIFIER     # SimpleIdentifier
    | name=ESC_IDENTIFIER # EscapedIdentifier
    ;

optExpr : (opt='?')? expr ;

literal
    : sign=MINUS? tok=NUM_INT   # Int
    | tok=NUM_UINT              # Uint
    | sign=MINUS? tok=NUM_FLOAT # Double
    | tok=STRING                # String
    | tok=BYTES                 # Bytes
    | tok=CEL_TRUE              # BoolTrue
    | tok=CEL_FALSE             # BoolFalse
    | tok=NUL                   # Null
    ;

EQUALS : '==' ;
NOT_EQUALS : '!=' ;
IN : 'in' ;
LESS : '<' ;
LESS_EQUALS : '<=' ;
GREATER_EQUALS : '>=' ;
GREATER : '>' ;
LOGICAL_AND : '&&' ;
LOGICAL_OR : '||' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
LPAREN : '(' ;
RPAREN : ')' ;
DOT : '.' ;
COMMA : ',' ;
MINUS : '-' ;
EXCLAM : '!' ;
QUESTIONMARK : '?' ;
COLON : ':' ;
PLUS : '+' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
CEL_TRUE : 'true' ;
CEL_FALSE : 'false' ;
NUL : 'null' ;

WHITESPACE : [\t \r\n\f]+ -> channel(HIDDEN) ;
COMMENT : '//' ~[\n]* -> channel(HIDDEN) ;

NUM_FLOAT
    : DIGIT+ '.' DIGIT+ EXPONENT?
    | DIGIT+ EXPONENT
    | '.' DIGIT+ EXPONENT?
    ;
NUM_INT : DIGIT+ | '0x' HEXDIGIT+ ;
NUM_UINT : DIGIT+ [uU] | '0x' HEXDIGIT+ [uU] ;

STRING
    : '"' (ESCAPE | ~[\\"\n\r])* '"'
    | '\'' (ESCAPE | ~[\\'\n\r])* '\''
    | '"""' (ESCAPE | ~[\\])*? '"""'
    | '\'\'\'' (ESCAPE | ~[\\])*? '\'\'\''
    | [rR] '"' ~["\n\r]* '"'
    | [rR] '\'' ~['\n\r]* '\''
    | [rR] '"""' .*? '"""'
    | [rR] '\'\'\'' .*? '\'\'\''
    ;
BYTES : [bB] STRING ;
IDENTIFIER : [A-Za-z_] [A-Za-z0-9_]* ;
ESC_IDENTIFIER : '`' [A-Za-z0-9_.\-/ ]+ '`' ;

fragment DIGIT : [0-9] ;
fragment HEXDIGIT : [0-9a-fA-F] ;
fragment EXPONENT : [eE] [+\-]? DIGIT+ ;
fragment ESCAPE
    : '\\' [abfnrtv"'\\?`]
    | '\\' [xX] HEXDIGIT HEXDIGIT
    | '\\u' HEXDIGIT HEXDIGIT HEXDIGIT HEXDIGIT
    | '\\U' HEXDIGIT HEXDIGIT HEXDIGIT HEXDIGIT HEXDIGIT HEXDIGIT HEXDIGIT HEXDIGIT
    | '\\' [0-3] [0-7] [0-7]
    ;
